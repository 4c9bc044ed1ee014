import { open } from '../../api/api.ts';
import type { Schemas } from '../../api/contract.ts';
import { Problem } from '../../api/problem.ts';
import { ExportButton, type Exported, type ExportFormat } from '../../parts/export.tsx';

type Format = Schemas['UserFileFormat'];

const formats: Readonly<Record<Format, ExportFormat>> = {
  csv: { label: 'CSV', type: 'text/csv', extension: 'csv' },
  ndjson: { label: 'JSON lines', type: 'application/x-ndjson', extension: 'jsonl' },
};

export function ExportUsers() {
  return (
    <ExportButton noun="user" formats={formats} read={read}>
      All users of the account, whatever the list shows, as a file that an import takes. Passwords are not in it.
    </ExportButton>
  );
}

async function read(
  format: Format,
  signal: AbortSignal,
  report: (done: number, total: number) => void,
): Promise<Exported> {
  const { body, headers } = await open('/api/2/users/export', { query: { format } }, formats[format].type, signal);
  const total = Number(headers.get('total-count'));
  const parts: Blob[] = [];
  // The heading is no user.
  let done = format === 'csv' ? -1 : 0;
  const reader = body.getReader();
  for (;;) {
    const { done: isEnd, value } = await reader.read().catch(() => {
      throw new Problem(0, 'The export was cut off before its end.');
    });
    if (isEnd) return { count: total, parts };
    parts.push(new Blob([value]));
    for (const byte of value) if (byte === lineFeed) done += 1;
    report(Math.max(0, Math.min(done, total)), total);
  }
}

const lineFeed = 10;

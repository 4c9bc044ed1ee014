import type { components, operations } from '../../../generated/api-2.ts';
import type { Failure } from '../../domain/failure.ts';
import { exportFile } from '../../domain/users/people/export-file.ts';
import { importText } from '../../domain/users/people/import-text.ts';
import type { LineOutcome } from '../../domain/users/people/line.ts';
import type { Handlers } from '../../http/operation.ts';
import { TextParts } from '../../http/text-parts.ts';
import type { Services } from '../../services.ts';

type FileOperations = Pick<operations, 'importUsers' | 'exportUsers'>;
type Schemas = components['schemas'];

const mediaTypes = { csv: 'text/csv', ndjson: 'application/x-ndjson' } satisfies Record<
  Schemas['UserFileFormat'],
  keyof operations['exportUsers']['responses'][200]['content']
>;

function representOutcome({ line, result, userId, failure }: LineOutcome): Schemas['UserImportOutcome'] {
  const error = failure?.code ?? null;
  return { line, result, user_id: userId, error, message: failure && boundedAsJson(wordsOf(failure)) };
}

/** As JSON, so that a repeated request can have the answer of 500 lines that failed (`longestAnswer`). */
const mostBytesOfMessage = 256;

function boundedAsJson(text: string): string {
  let bytes = 0;
  let length = 0;
  for (const character of text) {
    bytes += Buffer.byteLength(JSON.stringify(character)) - '""'.length;
    if (bytes > mostBytesOfMessage) break;
    length += character.length;
  }
  return text.slice(0, length);
}

function wordsOf({ code, message, detail }: Failure): string {
  return code === 'conflict' && detail.message === undefined ? `${detail.name} has already been taken` : message;
}

export function userFiles(services: Services): Handlers<FileOperations> {
  return {
    /** POST /api/2/users/import */
    importUsers: async ({ body, origin: { account } }, respond) => {
      const { format, content, existing = 'skip', dry_run: dryRun = false } = body;
      const given = { format, content, existing, dryRun, authority: 'all' } as const;
      const outcomes = await importText(services, account, given);
      const counts = { created: 0, updated: 0, skipped: 0, failed: 0 };
      for (const { result } of outcomes) counts[result] += 1;
      return respond(200, { dry_run: dryRun, ...counts, outcomes: outcomes.map(representOutcome) });
    },

    /** GET /api/2/users/export */
    exportUsers: async ({ query, origin: { account } }, respond) => {
      const { format = 'csv' } = query;
      const { total, ...text } = await exportFile(services, account, format);
      return respond(200, new TextParts({ type: mediaTypes[format], ...text }), { 'total-count': String(total) });
    },
  };
}

/** Runs `redocly diff`, which judges each change by the direction in which a client meets it. */

import { spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** One change as the differ reports it (`reportVersion` 1); only what is used here. */
export interface ReportedChange {
  /** The place as a JSON pointer through the operations, with `$ref` where it goes through a reference. */
  readonly path: string;
  readonly typeName: string;
  readonly kind: 'added' | 'removed' | 'modified';
  readonly property?: string;
  /** The part of a semantic version that the change must raise. */
  readonly impact: 'major' | 'minor' | 'patch';
  readonly verdicts: readonly { readonly ruleId: string; readonly impact: string; readonly message: string }[];
  readonly base?: ReportedPlace;
  readonly revision?: ReportedPlace;
}

interface ReportedPlace {
  readonly pointer: string;
  readonly value?: unknown;
}

/** Every change between two files. Throws what the differ says when it cannot compare them. */
export async function runDiffer(base: string, revision: string): Promise<ReportedChange[]> {
  const options = ['--config', 'openapi/released/redocly.yaml', '--format', 'json', '--fail-on', 'none'];
  const child = spawn(process.execPath, ['node_modules/.bin/redocly', 'diff', base, revision, ...options], {
    cwd: root,
    env: { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true', NO_COLOR: '1' },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const status = new Promise<number | null>((resolve, reject) => child.on('error', reject).on('close', resolve));
  const [stdout, stderr, code] = await Promise.all([text(child.stdout), text(child.stderr), status]);
  if (code !== 0) throw new Error(`the differ failed (${code}): ${stderr}${stdout.slice(0, 2000)}`);
  return (JSON.parse(stdout) as { readonly changes: ReportedChange[] }).changes;
}

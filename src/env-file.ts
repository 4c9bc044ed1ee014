/** The file of settings, which servers and commands read alike: `gatehouse.env` beside the data, or a named one. */

import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { parseEnv } from 'node:util';
import { fileFaultOf } from './adapters/file-faults.ts';
import { modeOpenToOthers } from './adapters/private-file.ts';

/** What a file says, and what is wrong with it. No text ever repeats a value. */
export interface EnvFile {
  readonly path: string;
  readonly values: Readonly<Record<string, string>>;
  readonly mistakes: readonly string[];
  readonly warnings: readonly string[];
}

const mostBytes = 65_536;
/** A blank line, a comment, or a setting. */
const line = /^\s*(?:#.*|(?:export\s+)?(?<name>[\w.-]+)\s*=(?<value>.*))?$/;
/** Plain, or in quotes with nothing but a comment behind them: the parser would drop it, or read on in other lines. */
const wholeValue = /^\s*(?:[^\s"'`].*|(["'`])(?:(?!\1).)*\1\s*(?:#.*)?)?$/;

/** The file that `--env-file` named, or the one in the folder of the master key, where the data is; null without either. */
export function openEnvFile(named: string | undefined, dataFolder: string): EnvFile | null {
  if (named !== undefined) return readEnvFile(named, { isNamed: true });
  return readEnvFile(join(dataFolder, 'gatehouse.env'), { isNamed: false });
}

function readEnvFile(path: string, { isNamed }: { readonly isNamed: boolean }): EnvFile | null {
  const text = readText(path);
  if (typeof text !== 'string') {
    if (!isNamed && ['ENOENT', 'ENOTDIR'].includes(text.code)) return null;
    return { path, values: {}, mistakes: [`${path} cannot be opened: ${text.reason}`], warnings: [] };
  }
  return {
    path,
    values: parseEnv(text) as Record<string, string>,
    mistakes: findMistakes(path, text),
    warnings: findExposure(path),
  };
}

function readText(path: string): string | { readonly code: string; readonly reason: string } {
  try {
    if (statSync(path).size > mostBytes) return { code: 'EFBIG', reason: `it is larger than ${mostBytes} bytes` };
    return readFileSync(path, 'utf8');
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    return { code, reason: fileFaultOf(error) };
  }
}

/** What the parser would skip in silence: a line that is no setting, and a setting that a later line replaces. */
function findMistakes(path: string, text: string): string[] {
  const seen = new Set<string>();
  return text.split(/\r?\n/).flatMap((written, index) => {
    const match = line.exec(written);
    const at = `${path}, line ${index + 1}`;
    if (!match) return [`${at}: must be NAME=value, or a comment that begins with #`];
    const { name, value = '' } = match.groups ?? {};
    if (name === undefined) return [];
    if (!wholeValue.test(value)) return [`${at}: the value of ${name} must end with the quote that it begins with`];
    if (seen.has(name)) return [`${at}: ${name} is set a second time; remove one of the lines`];
    seen.add(name);
    return [];
  });
}

function findExposure(path: string): string[] {
  if (modeOpenToOthers(path) === null) return [];
  return [`${path} can be read by other users of this machine; if it holds secrets, run: chmod 600 ${path}`];
}

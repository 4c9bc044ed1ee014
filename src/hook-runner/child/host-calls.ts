/**
 * Synchronous operations that the process performs for a function. An answer is `=` and JSON, or `!` and a code:
 * errors of the process never cross, because they would carry its stack.
 */

import { createRequire } from 'node:module';
import { limits } from '../protocol.ts';

const require = createRequire(import.meta.filename);
/** Loaded when a function first uses it, because a tenth of the time in which a process starts goes into it. */
const crypto = () => require('node:crypto') as typeof import('node:crypto');

const urlMembers = [
  'href',
  'origin',
  'protocol',
  'username',
  'password',
  'host',
  'hostname',
  'port',
  'pathname',
  'search',
  'hash',
] as const;

type Operation = (argument: unknown) => unknown;

const operations = new Map<string, Operation>([
  ['url', readUrl],
  ['url-change', changeUrl],
  ['digest', digest],
  ['random', random],
  ['uuid', () => crypto().randomUUID()],
]);

export function answerHost(operation: string, argument: string): string {
  try {
    const run = operations.get(operation);
    if (!run) return '!unknown_operation';
    return `=${JSON.stringify(run(JSON.parse(argument)))}`;
  } catch {
    return '!invalid_argument';
  }
}

function strings(argument: unknown): string[] {
  if (Array.isArray(argument) && argument.every((item) => typeof item === 'string')) return argument;
  throw new TypeError('not a list of strings');
}

function describe(url: URL) {
  return Object.fromEntries(urlMembers.map((member) => [member, url[member]]));
}

function readUrl(argument: unknown) {
  const [address = '', base] = strings(argument);
  return describe(new URL(address, base));
}

function changeUrl(argument: unknown) {
  const [address = '', name, value = ''] = strings(argument);
  const url = new URL(address);
  const member = urlMembers.find((known) => known === name && known !== 'origin');
  if (member === undefined || member === 'origin') throw new TypeError('not a member');
  url[member] = value;
  return describe(url);
}

function digest(argument: unknown): string {
  if (!Array.isArray(argument)) throw new TypeError('not a list');
  const [algorithm, key, data] = argument as [unknown, unknown, unknown];
  if (algorithm !== 'sha256' && algorithm !== 'sha512') throw new TypeError('not an algorithm');
  if (typeof data !== 'string' || data.length > 2 * limits.hashedBytes) throw new TypeError('not data');
  const { createHash, createHmac } = crypto();
  const hash = typeof key === 'string' ? createHmac(algorithm, Buffer.from(key, 'base64')) : createHash(algorithm);
  return hash.update(Buffer.from(data, 'base64')).digest('base64');
}

function random(argument: unknown): string {
  const size = Number(argument);
  if (!(Number.isInteger(size) && size >= 0 && size <= limits.randomBytes)) throw new RangeError('not a size');
  return crypto().randomBytes(size).toString('base64');
}

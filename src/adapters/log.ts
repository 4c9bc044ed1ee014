import type { LogLevel } from '../config-values.ts';
import type { Log, LogFields } from '../services.ts';
import { createLineWriter } from './line-writer.ts';
import { printableText } from './printable.ts';

interface LogOptions {
  readonly level: LogLevel;
  /** Where lines go; default: stdout. */
  readonly destination?: { write(line: string): void };
}

/** The allowed fields of a line and their kinds: all others are dropped. */
const fieldKinds = {
  requestId: 'string',
  account: 'string',
  method: 'string',
  route: 'string',
  operation: 'string',
  status: 'number',
  milliseconds: 'number',
  failure: 'string',
  reason: 'string',
  appId: 'number',
  userId: 'number',
  grantId: 'number',
  removalId: 'number',
  table: 'string',
  count: 'number',
  pid: 'number',
  port: 'number',
  host: 'string',
  version: 'string',
  signal: 'string',
  stack: 'string',
} as const satisfies Record<keyof LogFields, 'string' | 'number'>;

/** A log of a level has no lines of those that weigh less. */
const weights = { debug: 0, info: 1, warn: 2, error: 3 } as const satisfies Record<LogLevel, number>;

const fieldNames = Object.keys(fieldKinds) as (keyof LogFields)[];
export const standardOutput = 1;
export const mostWaitingCharacters = 8 * 1024 * 1024;
const mostCharacters = 512;
const mostStackCharacters = 4096;

/**
 * Second line of defence: anything that looks like one of the service's secrets (`cs_…`, `rt_…`) or like a signed
 * token.
 */
const secretLike = /\b(?:[a-z]{2}_[\w.-]{20,}|eyJ[\w-]+\.[\w-]+\.[\w-]*)/g;

/**
 * JSON lines: level, time, event and the allowed fields. JSON escapes line ends, so that no value begins a line; other
 * characters that a terminal obeys are escaped here.
 */
export function createLog({ level, destination: given }: LogOptions): Log {
  const destination = given ?? createLineWriter(standardOutput, mostWaitingCharacters);
  const timestamp = createTimestamps();
  const writer = (name: LogLevel) => {
    if (weights[name] < weights[level]) return () => undefined;
    return (event: string, fields?: LogFields) => {
      const line = `{"level":"${name}","time":"${timestamp()}"${membersOf(fields)},"event":${JSON.stringify(clean(event))}}`;
      destination.write(printableText(`${line}\n`));
    };
  };
  return { debug: writer('debug'), info: writer('info'), warn: writer('warn'), error: writer('error') };
}

/**
 * The member `time`, ISO 8601 in UTC. Dates are formatted once a second: doing it for each line would take a third of
 * the line's time.
 */
function createTimestamps(): () => string {
  let second = -1;
  let upToSecond = '';
  return () => {
    const now = Date.now();
    const milliseconds = now % 1000;
    if (now - milliseconds !== second) {
      second = now - milliseconds;
      upToSecond = new Date(second).toISOString().slice(0, -'000Z'.length);
    }
    return `${upToSecond}${String(milliseconds).padStart(3, '0')}Z`;
  };
}

/** The allowed fields of a line as members of JSON, each behind a comma. */
function membersOf(fields: LogFields = {}): string {
  let members = '';
  for (const name of fieldNames) {
    const value: unknown = fields[name];
    if (typeof value !== fieldKinds[name]) continue;
    if (typeof value === 'number' && Number.isFinite(value)) members += `,"${name}":${value}`;
    if (typeof value !== 'string') continue;
    members += `,"${name}":${JSON.stringify(clean(value, name === 'stack' ? mostStackCharacters : mostCharacters))}`;
  }
  return members;
}

function clean(text: string, most = mostCharacters): string {
  const short = text.length > most ? `${text.slice(0, most)}…` : text;
  return short.replace(secretLike, '[secret]');
}

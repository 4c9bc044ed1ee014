import { type DestinationStream, pino } from 'pino';
import type { LogLevel } from '../config-values.ts';
import type { Log, LogFields } from '../services.ts';
import { createLineWriter } from './line-writer.ts';
import { printableText } from './printable.ts';

interface LogOptions {
  readonly level: LogLevel;
  /** Where lines go; default: stdout. */
  readonly destination?: DestinationStream;
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
  const lines = pino(
    {
      level,
      base: null,
      messageKey: 'event',
      timestamp: createTimestamps(),
      formatters: { level: (label) => ({ level: label }) },
    },
    { write: (line) => destination.write(printableText(line)) },
  );
  return {
    debug: (event, fields) => lines.debug(allowed(fields), clean(event)),
    info: (event, fields) => lines.info(allowed(fields), clean(event)),
    warn: (event, fields) => lines.warn(allowed(fields), clean(event)),
    error: (event, fields) => lines.error(allowed(fields), clean(event)),
  };
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
    return `,"time":"${upToSecond}${String(milliseconds).padStart(3, '0')}Z"`;
  };
}

function allowed(fields: LogFields = {}): Record<string, string | number> {
  const kept: Record<string, string | number> = {};
  for (const name of fieldNames) {
    const value: unknown = fields[name];
    if (typeof value !== fieldKinds[name]) continue;
    if (typeof value === 'number' && Number.isFinite(value)) kept[name] = value;
    if (typeof value === 'string') kept[name] = clean(value, name === 'stack' ? mostStackCharacters : mostCharacters);
  }
  return kept;
}

function clean(text: string, most = mostCharacters): string {
  const short = text.length > most ? `${text.slice(0, most)}…` : text;
  return short.replace(secretLike, '[secret]');
}

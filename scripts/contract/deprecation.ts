/** What a release may take away: parts that were announced as deprecated, after the date that was announced. */

import { type Document, isObject, type JsonObject, stepsOf, valuesAlong } from './document.ts';
import type { Break } from './own-rules.ts';

/** A part of a contract that is marked `deprecated: true`. */
interface DeprecatedPart {
  /** The operation's id, the parameter's name, or the name of the member. */
  readonly name: string;
  /** ISO date of its member `x-sunset`, the last day on which it answers as before. */
  readonly sunset: string | undefined;
}

/** Days between the release that announces an end and the end. */
const fewestDays = 180;

/** The innermost deprecated part that contains the place. */
function findDeprecated(base: Document, pointer: string): DeprecatedPart | undefined {
  const parts = [...valuesAlong(base, pointer)].filter(({ value }) => isObject(value) && value['deprecated'] === true);
  const last = parts.at(-1);
  return last && describe(last.name, last.value as JsonObject);
}

function describe(key: string, { operationId, name, 'x-sunset': sunset }: JsonObject): DeprecatedPart {
  return { name: String(operationId ?? name ?? key), sunset: typeof sunset === 'string' ? sunset : undefined };
}

/**
 * Why a release must not make this change; undefined if it may. `notes`: what the CHANGELOG says of the surface in the
 * release that is being made. `today`: ISO date.
 */
export function refusalOf({ pointer }: Break, base: Document, notes: string, today: string): string | undefined {
  const part = findDeprecated(base, pointer);
  if (!part) return 'the last release does not mark it `deprecated`';
  if (part.sunset === undefined) return `the last release gives no \`x-sunset\` for \`${part.name}\``;
  if (part.sunset >= today) return `the \`x-sunset\` of \`${part.name}\` is ${part.sunset}`;
  return notes.includes(`\`${part.name}\``) ? undefined : `CHANGELOG.md does not name \`${part.name}\``;
}

/** Every `x-sunset` of a contract with its place. */
function* sunsetsOf(value: unknown, pointer = '#'): Generator<{ pointer: string; sunset: string }> {
  if (typeof value !== 'object' || value === null) return;
  for (const [name, member] of Object.entries(value)) {
    if (name === 'x-sunset') yield { pointer, sunset: String(member) };
    else yield* sunsetsOf(member, `${pointer}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`);
  }
}

/** Dates that a release announces and that come too soon after `today`. */
export function findHastySunsets(base: Document | undefined, revision: Document, today: string): string[] {
  const announced = new Set([...sunsetsOf(base)].map(({ pointer, sunset }) => `${pointer} ${sunset}`));
  const earliest = new Date(Date.parse(today) + fewestDays * 86_400_000).toISOString().slice(0, 10);
  return [...sunsetsOf(revision)]
    .filter(({ pointer, sunset }) => !announced.has(`${pointer} ${sunset}`) && !(sunset >= earliest))
    .map(({ pointer, sunset }) => `${pointer}: x-sunset ${sunset} is before ${earliest}`);
}

/** What the newest section of a CHANGELOG says of a surface: all parts whose heading names it. */
export function notesOf(changelog: string, surface: string): string {
  const [, newest = ''] = changelog.split(/^## .*$/m);
  const parts = newest.split(/^### /m).slice(1);
  const names = (part: string) => part.slice(0, part.indexOf('\n')).split(/[\s,()]+/);
  return parts.filter((part) => names(part).includes(surface)).join('\n');
}

/** How a person finds a place: the operation, or the component, and the way from there. */
export function tellPlace(pointer: string): string {
  const [first, ...rest] = stepsOf(pointer);
  const [path = '', method = '', ...inside] = rest;
  const further = inside.filter((name) => !['$ref', 'schema', 'content', 'properties'].includes(name)).join(' ');
  if (first === 'paths') return `${method ? `${method.toUpperCase()} ` : ''}${path}${further && `, ${further}`}`;
  if (first === 'components') return `${method}${further && `, ${further}`}`;
  return first === undefined ? 'the surface' : stepsOf(pointer).join(' ');
}

/** Holds the contracts against those of the last release. */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Comparison, compareFiles, readDocument } from './compare.ts';
import { findHastySunsets, notesOf, refusalOf, tellPlace } from './deprecation.ts';
import { isObject } from './document.ts';
import { contractsIn, lastRelease } from './releases.ts';

/** How a surface differs from the last release. */
export interface SurfaceChanges extends Comparison {
  readonly surface: string;
  /** Why the changes must not be released, a line each. */
  readonly refused: readonly string[];
}

const nothing: Comparison = { breaks: [], additions: [] };

/** Every surface that the last release has or that is there now; surfaces that are the same, byte for byte, too. */
export async function compareWithRelease(root: string, today: string): Promise<SurfaceChanges[]> {
  const changelog = readFileSync(join(root, 'CHANGELOG.md'), 'utf8');
  const current = contractsIn(join(root, 'generated'));
  const released = lastRelease(root)?.files ?? new Map<string, string>();
  const compare = async (surface: string): Promise<SurfaceChanges> => {
    const [base, revision] = [released.get(surface), current.get(surface)];
    if (base === undefined) return { ...nothing, surface, additions: [{ kind: 'Surface', pointer: '#' }], refused: [] };
    const found = await compareSurface(base, revision);
    const document = readDocument(base);
    const notes = notesOf(changelog, surface);
    const refused = found.breaks.flatMap((one) => {
      const why = refusalOf(one, document, notes, today);
      return why === undefined ? [] : [`${surface}: ${tellPlace(one.pointer)}: ${one.message} (${one.rule}): ${why}`];
    });
    return { ...found, surface, refused };
  };
  const surfaces = [...new Set([...released.keys(), ...current.keys()])].sort();
  return inTurn(surfaces, compare);
}

async function compareSurface(base: string, revision: string | undefined): Promise<Comparison> {
  if (revision === undefined) {
    return { ...nothing, breaks: [{ rule: 'surface-removed', message: 'The surface was removed.', pointer: '#' }] };
  }
  return readFileSync(base).equals(readFileSync(revision)) ? nothing : compareFiles(base, revision);
}

/** Two at a time. */
async function inTurn<T, R>(all: readonly T[], work: (one: T) => Promise<R>): Promise<R[]> {
  const results = new Map<T, R>();
  const waiting = [...all];
  const lane = async () => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) results.set(next, await work(next));
  };
  await Promise.all([lane(), lane()]);
  return all.map((one) => results.get(one) as R);
}

/**
 * The check: why the contracts cannot be the next release, a line each. From version 1.0.0 on a baseline must be there.
 */
export async function checkBaseline(root: string, today: string): Promise<string[]> {
  if (lastRelease(root)) return (await compareWithRelease(root, today)).flatMap(({ refused }) => refused);
  const promised = [...versionsOf(root)].filter((version) => !version.startsWith('0.'));
  return promised.length === 0 ? [] : [`version ${promised[0]} is released, and openapi/released has no contracts`];
}

/** Dates of ends that are announced now and too near. */
export function findHasty(root: string, today: string): string[] {
  const released = lastRelease(root)?.files;
  return [...contractsIn(join(root, 'generated'))].flatMap(([surface, file]) => {
    const base = released?.get(surface);
    const hasty = findHastySunsets(base === undefined ? undefined : readDocument(base), readDocument(file), today);
    return hasty.map((line) => `${surface}: ${line}`);
  });
}

/** The versions that the contracts carry. */
function versionsOf(root: string): Set<string> {
  const infos = [...contractsIn(join(root, 'generated')).values()].map((file) => readDocument(file)['info']);
  return new Set(infos.map((info) => (isObject(info) ? String(info['version']) : '')));
}

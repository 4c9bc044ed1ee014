/** What changed between two contracts: the differ's findings and those of our own rules, each once. */

import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { parse } from 'yaml';
import { runDiffer } from './differ.ts';
import type { Document } from './document.ts';
import { type Break, findOwnBreaks } from './own-rules.ts';

/** Something new that breaks nobody. */
export interface Addition {
  readonly kind: string;
  readonly pointer: string;
}

export interface Comparison {
  readonly breaks: readonly Break[];
  readonly additions: readonly Addition[];
}

export function readDocument(file: string): Document {
  const content = readFileSync(file, 'utf8');
  return (file.endsWith('.json') ? JSON.parse(content) : parse(content)) as Document;
}

/** Compares two bundled contracts, JSON or YAML, the older first. */
export async function compareFiles(base: string, revision: string): Promise<Comparison> {
  const [from, to] = [resolve(base), resolve(revision)];
  const changes = await runDiffer(from, to);
  const judged = changes.flatMap(({ path, verdicts, base: was, revision: is }) =>
    verdicts
      .filter(({ impact }) => impact === 'major')
      .map(({ ruleId, message }) => ({ rule: ruleId, message, pointer: was?.pointer ?? is?.pointer ?? path })),
  );
  const known = new Set(judged.map(({ rule, pointer }) => `${rule} ${pointer}`));
  const own = findOwnBreaks(readDocument(from), readDocument(to));
  return {
    breaks: [...judged, ...own.filter(({ rule, pointer }) => !known.has(`${rule} ${pointer}`))],
    additions: changes
      .filter(({ kind, impact }) => kind === 'added' && impact === 'minor')
      .map(({ typeName, path }) => ({ kind: typeName, pointer: path })),
  };
}

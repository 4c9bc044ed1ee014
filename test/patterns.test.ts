/**
 * Regular expressions take time in proportion to a text, whoever wrote it: where one tries each part of it with each
 * other part (polynomial or exponential backtracking), a request of a few kilobytes would stop the process for all. The
 * analysis finds the usual causes, not all: a repeated group with two readings of the same text is not among them.
 */

import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { analyse } from 'scslre';
import ts from 'typescript';

const root = join(import.meta.dirname, '..');

interface Pattern {
  readonly file: string;
  readonly source: string;
  readonly flags: string;
}

/** Where slow patterns are accepted, and why nobody can use them. */
const accepted: readonly { readonly file: RegExp; readonly source?: string; readonly because: string }[] = [
  { file: /^src\/(cli|runtime|config|adapters\/npm-conf)/, because: 'an operator or the machine wrote the text' },
  { file: /^src\/store\/database-url/, because: 'an operator wrote the text' },
  { file: /^src\/store\/knex\/postgres\/transaction-pooling/, because: 'the statement is our own' },
  { file: /^src\/console\//, because: 'it runs in the browser of whoever wrote the text' },
  { file: /^src\/hook-runner\/child\/guest\//, because: 'it runs beside the function, until its deadline' },
  { file: /^src\/pages\/docs\//, because: 'the text is in the repository, or in a package' },
  {
    file: /^src\/http\/xml-guard/,
    source: String.raw`([\w.-]+)[ \t\n]*=[ \t\n]*(?:"([^"]*)"|'([^']*)')`,
    because: 'the tag has been matched: each name is followed by its value',
  },
];

function literalsOf(file: string): Pattern[] {
  const text = readFileSync(join(root, file), 'utf8');
  const found: Pattern[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isRegularExpressionLiteral(node)) {
      const end = node.text.lastIndexOf('/');
      found.push({ file, source: node.text.slice(1, end), flags: node.text.slice(end + 1) });
    }
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile(file, text, ts.ScriptTarget.Latest));
  return found;
}

/** The patterns that these modules put together when they are loaded. */
async function builtBy(files: readonly string[]): Promise<Pattern[]> {
  const found: Pattern[] = [];
  const { RegExp: original } = globalThis;
  globalThis.RegExp = new Proxy(original, {
    construct(target, given, made) {
      const pattern = Reflect.construct(target, given, made) as RegExp;
      const [, , caller = ''] = (new Error('who builds it').stack ?? '').split('\n');
      const file = files.find((one) => caller.includes(`/${one}?built:`));
      if (file !== undefined) found.push({ file, source: pattern.source, flags: pattern.flags });
      return pattern;
    },
  });
  try {
    // Once more: other tests of this process may have loaded it.
    for (const file of files) await import(`${pathToFileURL(join(root, file))}?built`);
  } finally {
    globalThis.RegExp = original;
  }
  return found;
}

/** What repeats nothing without a bound is quick, and its analysis takes as long. */
const repeats = /[*+]|\{\d+,\}/;

function slowOf(patterns: readonly Pattern[]): string[] {
  return patterns
    .filter(({ source, flags }) => repeats.test(source) && analyse({ source, flags }).reports.length > 0)
    .filter(({ file, source }) => !accepted.some((one) => one.file.test(file) && (one.source ?? source) === source))
    .map(({ file, source, flags }) => `${file}: /${source}/${flags}`);
}

test('no pattern of the service can be made slow by a text', async () => {
  const files = globSync('src/**/*.{ts,tsx,js}', { cwd: root });
  const literals = files.flatMap(literalsOf);
  assert.ok(literals.length > 400, String(literals.length));
  const building = files.filter((file) => /^const \w+ = new RegExp\(/m.test(readFileSync(join(root, file), 'utf8')));
  const built = await builtBy(building);
  assert.deepEqual([...new Set(built.map(({ file }) => file))].sort(), building.sort());
  assert.deepEqual(slowOf([...literals, ...built]), []);
});

test('slow patterns are found', () => {
  const planted = [String.raw`^\s+|\s+$`, '(a|aa)+$'];
  const file = 'src/planted.ts';
  assert.equal(slowOf(planted.map((source) => ({ file, source, flags: '' }))).length, planted.length);
  assert.deepEqual(slowOf([{ file, source: String.raw`^\s*(?:(\d+)\s*)?$`, flags: '' }]), []);
});

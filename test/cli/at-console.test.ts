/**
 * The page that says what the command line, the management API and the console have in common, held against all three:
 * the commands of the program, the operations of the contract, and the calls in the console's sources.
 */

import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import type { Command } from 'commander';
import contract from '../../generated/api-2.json' with { type: 'json' };
import type { Outlet } from '../../src/cli/command.ts';
import { createProgram } from '../../src/cli/program.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const page = readFileSync(`${root}docs/commands-and-console.md`, 'utf8');
const silent: Outlet = { answer: () => {}, write: async () => true };

/** Commands that do something, by their words. */
function commandsOf(command: Command, words: readonly string[] = []): string[] {
  if (command.commands.length === 0) return [words.join(' ')];
  return command.commands.flatMap((one) => commandsOf(one, [...words, one.name()]));
}

const commands = commandsOf(createProgram(silent, false));

interface Row {
  readonly command: string;
  /** The words of the second column, and of the third. */
  readonly operations: string;
  readonly place: string;
}

const [ofAccount = '', ofInstallation = ''] = page.split('\n## ');
const rows: readonly Row[] = [...ofAccount.matchAll(/^\| `([^`]+)` \| (.+) \| (.*?) ?\|$/gm)].map(
  ([, command = '', operations = '', place = '']) => ({ command, operations, place }),
);
/** Names of operations in a row, and not those of members and parameters. */
const operationsOf = ({ operations }: Row) =>
  [...operations.matchAll(/`([a-z]+[A-Z]\w*)`/g)].map(([, name = '']) => name);

/** By method and path of the contract. */
const operations = new Map<string, string>(
  Object.entries(contract.paths).flatMap(([path, item]) =>
    Object.entries(item).flatMap(([method, operation]) => {
      const { operationId } = operation as { readonly operationId?: string };
      return operationId === undefined ? [] : [[`${method} ${path}`, operationId] as const];
    }),
  ),
);

interface Source {
  readonly file: string;
  /** As the contract has them: `get /api/2/users`. */
  readonly calls: readonly string[];
  /** Every path of the management API that is written as a text. */
  readonly paths: readonly string[];
}

const sources: readonly Source[] = globSync('src/console/**/*.{ts,tsx}', { cwd: root }).map((file) => {
  const text = readFileSync(`${root}${file}`, 'utf8');
  const calls = [...text.matchAll(/\.(get|post|put|delete)\(\s*'(\/api\/[^']*)'/g)];
  const streams = [...text.matchAll(/\b(?:follow|open|openStream|getMembers)\(\s*'(\/api\/[^']*)'/g)];
  return {
    file,
    calls: [
      ...calls.map(([, method = '', path = '']) => `${method} ${path}`),
      ...streams.map(([, path = '']) => `get ${path}`),
    ],
    paths: [...text.matchAll(/['"`](\/api\/[^'"`]*)['"`]/g)].map(([, path = '']) => path),
  };
});
const called = new Set(sources.flatMap(({ calls }) => calls.map((call) => operations.get(call))));

describe('commands, operations, and the console', () => {
  it('every command is on the page once, in the table of accounts or in that of installations', () => {
    const below = [...ofInstallation.matchAll(/^\| (`.+?`) \| /gm)].flatMap(([, cell = '']) =>
      [...cell.matchAll(/`([^`]+)`/g)].map(([, command = '']) => command),
    );
    const listed = [...rows.map(({ command }) => command), ...below];
    assert.deepEqual(listed.toSorted(), commands.toSorted());
  });

  it('each row names operations of the contract, or says why there is none', () => {
    const known = new Set(operations.values());
    for (const row of rows) {
      const named = operationsOf(row);
      assert.deepEqual(
        named.filter((name) => !known.has(name)),
        [],
        row.command,
      );
      assert.ok(
        named.length > 0 || /^none\b.{10}/.test(row.operations),
        `${row.command} has no operation and no reason`,
      );
    }
  });

  it('the console calls each operation of a row, at the place that the row names', () => {
    for (const row of rows) {
      const named = operationsOf(row);
      assert.deepEqual(
        named.filter((name) => !called.has(name)),
        [],
        row.command,
      );
      if (named.length > 0) assert.match(row.place, /^\*/, row.command);
    }
  });

  it('every call that the console makes is an operation of the contract', () => {
    assert.ok(sources.flatMap(({ calls }) => calls).length > 100);
    for (const { file, calls, paths } of sources) {
      for (const call of calls) assert.ok(operations.has(call), `${file}: ${call}`);
      // A path that is not called where it is written would go past this test.
      const written = paths.filter((path) => !calls.some((call) => call.endsWith(` ${path}`)));
      assert.deepEqual(written, [], file);
    }
  });

  it('what the console does not call is on the page, and nothing else is there', () => {
    const [, others = ''] = page.split('\n## Operations that the console does not call\n');
    const listed = [...others.matchAll(/^\| (`.+?`) \| /gm)].flatMap(([, cell = '']) =>
      [...cell.matchAll(/`(\w+)`/g)].map(([, name = '']) => name),
    );
    const unused = [...operations.values()].filter((name) => !called.has(name));
    assert.deepEqual(listed.toSorted(), unused.toSorted());
  });
});

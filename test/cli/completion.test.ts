/** What shells complete, asked of the shells that are here, and the examples in the help. */

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import type { Command } from 'commander';
import type { Outlet } from '../../src/cli/command.ts';
import { createProgram } from '../../src/cli/program.ts';
import { type CliFolder, cliFolder } from '../support/cli.ts';

const silent: Outlet = { answer: () => {}, write: async () => true };

/** A command and all below it, with their words. */
function commandsOf(command: Command, words: readonly string[] = []): (readonly [string, Command])[] {
  const below = command.commands.flatMap((one) => commandsOf(one, [...words, one.name()]));
  return [[words.join(' '), command] as const, ...below];
}

const commands = commandsOf(createProgram(silent, false));

function isHere(program: string): boolean {
  return (process.env['PATH'] ?? '').split(delimiter).some((folder) => existsSync(join(folder, program)));
}

/** The option that a word of an example names, with how many words it takes. */
function readExample(example: string, words: string, command: Command) {
  const given = [...example.matchAll(/"([^"]*)"|(\S+)/g)].map(([, text, plain]) => text ?? plain ?? '');
  const ends = given.findIndex((word) => word === '>' || word === '|');
  const rest = given.slice(1, ends < 0 ? undefined : ends);
  assert.deepEqual(rest.splice(0, words.split(' ').length).join(' '), words);
  return rest.concat(command.name() === 'serve' ? [] : ['--json']);
}

describe('examples in the help', () => {
  let cli: CliFolder;
  before(() => {
    cli = cliFolder();
  });
  after(() => cli.remove());

  test('every help text has one, of its own command', async () => {
    assert.ok(commands.length > 45);
    for (const [words] of commands) {
      const { exitCode, stdout } = await cli.ask([...words.split(' ').filter(Boolean), '--help']);
      const shown = /^Examples?:\n((?: {2}gatehouse .+\n)+)/m.exec(stdout)?.[1];
      assert.ok(exitCode === 0 && shown, `${words} --help has no example`);
      for (const line of shown.trim().split('\n')) assert.ok(line.trim().startsWith(`gatehouse ${words}`.trim()), line);
    }
  });

  test('each is a command line that its command accepts', async () => {
    for (const [words, command] of commands) {
      if (command.commands.length > 0) continue;
      const { stdout } = await cli.ask([...words.split(' '), '--help']);
      for (const line of stdout.match(/^ {2}gatehouse .+$/gm) ?? []) {
        // Loading the script is not a call of the command with its arguments alone.
        if (line.includes('source <(')) continue;
        const program = createProgram(silent, true);
        const [, found] = commandsOf(program).find(([at]) => at === words) ?? [];
        let ran = 0;
        found?.action(() => {
          ran += 1;
        });
        await program.parseAsync([...words.split(' '), ...readExample(line.trim(), words, command)], { from: 'user' });
        assert.equal(ran, 1, line);
      }
    }
  });
});

describe('completion', () => {
  let cli: CliFolder;
  const scripts: Record<string, string> = {};

  before(async () => {
    cli = cliFolder();
    for (const shell of ['bash', 'zsh', 'fish']) {
      const { exitCode, stdout } = await cli.ask(['completion', shell]);
      assert.equal(exitCode, 0);
      scripts[shell] = join(cli.path, `completion.${shell}`);
      writeFileSync(scripts[shell], stdout);
    }
  });
  after(() => cli.remove());

  /** How each shell is asked to complete a line; it prints the words, one a line. */
  const asking: Readonly<Record<string, (line: string) => string>> = {
    bash: (line) => `source ${scripts['bash']}
COMP_WORDS=(${line.replace(/ $/, " ''")}); COMP_CWORD=$(( \${#COMP_WORDS[@]} - 1 ))
_gatehouse; printf '%s\\n' "\${COMPREPLY[@]}"`,
    // Of zsh's own helpers only the one that takes the words is needed, and it filters by what was typed.
    zsh: (line) => `compdef() { :; }; _files() { :; }
_describe() { local one; for one in $found; do [[ $one == $words[CURRENT]* ]] && print -r -- \${one%%:*}; done; }
source ${scripts['zsh']}
words=(${line.replace(/ $/, " ''")}); CURRENT=$#words; _gatehouse`,
    fish: (line) => `source ${scripts['fish']}; complete -C '${line}' | string replace -r '\\t.*' ''`,
  };

  for (const [shell, script] of Object.entries(asking)) {
    const options = isHere(shell) ? {} : { skip: `${shell} is not here` };
    const complete = (line: string): string[] => {
      const { status, stdout, stderr } = spawnSync(shell, ['-c', script(line)], { encoding: 'utf8', cwd: cli.path });
      assert.deepEqual([status, stderr], [0, ''], line);
      return stdout.split('\n').filter(Boolean).toSorted();
    };

    test(`${shell} completes commands, options, and values of arguments`, options, () => {
      assert.deepEqual(complete('gatehouse acc'), ['access', 'account']);
      assert.deepEqual(complete('gatehouse account s'), ['set', 'show']);
      assert.deepEqual(complete('gatehouse --json keys r'), ['rotate']);
      assert.deepEqual(complete('gatehouse keys rotate --e'), ['--emergency', '--env-file']);
      assert.deepEqual(complete('gatehouse user list --account user --a'), ['--account']);
      assert.deepEqual(complete('gatehouse completion '), complete('gatehouse completion ').toSorted());
      for (const one of ['bash', 'fish', 'zsh']) assert.ok(complete('gatehouse completion ').includes(one));
    });

    test(`${shell} knows every command and every option`, options, () => {
      for (const [words, command] of commands) {
        const line = `gatehouse ${words}${words && ' '}`;
        const known = command.commands.map((one) => one.name()).filter((name) => name !== 'help');
        for (const name of known) assert.ok(complete(`${line}${name}`).includes(name), `${line}${name}`);
        const flags = command.options.flatMap(({ long, hidden }) => (hidden ? [] : (long ?? [])));
        const found = complete(`${line}--`);
        assert.deepEqual(
          flags.filter((flag) => !found.includes(flag)),
          [],
          line,
        );
      }
    });
  }

  test('a shell that is not known is told which are', async () => {
    const { exitCode, stderr } = await cli.ask(['completion', 'csh']);
    assert.deepEqual([exitCode, /Allowed choices are bash, zsh, fish/.test(stderr)], [2, true]);
  });
});

/** Whether a function compiles, found out beside the service. */

import assert from 'node:assert/strict';
import { after, it } from 'node:test';
import { createSyntaxChecks } from '../../src/hook-runner/syntax.ts';
import { openRunner } from './runner.ts';

const checks = createSyntaxChecks();
after(() => checks.close());

/** V8 reads it for many seconds, on fast machines as well. */
const slow = `exports.handler = async () => /[${'\\p{RGI_Emoji}'.repeat(4200)}]/iv;`;

async function messageOf(source: string): Promise<string> {
  const verdict = await checks.check(source);
  assert.equal(verdict.says, 'error', source);
  return verdict.says === 'error' ? verdict.message : '';
}

it('tells a syntax error with line and column, and runs nothing', async () => {
  assert.deepEqual(await checks.check('exports.handler = async () => {}; process.exit(1);'), { says: 'compiles' });
  assert.deepEqual(await checks.check('const a = 1;\nlet b = ;'), {
    says: 'error',
    line: 2,
    column: 9,
    message: "Unexpected token ';'",
  });
  assert.deepEqual(await checks.check('\n  /[/;'), {
    says: 'error',
    line: 2,
    column: 3,
    message: 'Invalid regular expression: missing /',
  });
  assert.equal(await messageOf("const a = '\u2028\ud83d\ude00"), 'Invalid or unexpected token');
  // Closing the function that the source is the body of is an error too.
  assert.equal(await messageOf('}); evil(); (function () {'), "Unexpected token '}'");
  assert.equal(await messageOf('('.repeat(20_000)), 'Maximum call stack size exceeded');
});

it('says what to write instead of the syntax of ES modules', async () => {
  for (const source of ['export const handler = 1;', "import a from 'a';", 'const a = import.meta.url;']) {
    assert.match(await messageOf(source), /module: use require\(\) and exports\.handler\)$/, source);
  }
  assert.doesNotMatch(await messageOf('let b = ;'), /CommonJS/);
});

it('others have their turns while V8 reads a function for seconds, and it is given up', async () => {
  const runner = await openRunner();
  try {
    let turns = 0;
    const turning = setInterval(() => {
      turns += 1;
    });
    const verdict = await runner.checkSyntax(slow);
    clearInterval(turning);
    assert.ok(turns > 0);
    assert.deepEqual(verdict, { says: 'too_slow' });
  } finally {
    await runner.close();
  }
});

it('the process of one that is given up is ended; the next check has another', async () => {
  await checks.check('exports.handler = null;');
  const former = checks.processes();
  assert.equal(former.length, 1);
  assert.deepEqual(await checks.check(slow), { says: 'too_slow' });
  assert.deepEqual(checks.processes(), []);
  assert.deepEqual(await checks.check('exports.handler = null;'), { says: 'compiles' });
  assert.notDeepEqual(checks.processes(), former);
});

it('each check that is under way has a process, which serves the next ones', async () => {
  const source = 'exports.handler = null;';
  const verdicts = await Promise.all([checks.check(source), checks.check(source), checks.check(source)]);
  assert.deepEqual(verdicts, Array(3).fill({ says: 'compiles' }));
  const pids = checks.processes();
  assert.equal(pids.length, 3);
  for (let round = 0; round < 4; round += 1) await checks.check(source);
  assert.deepEqual(checks.processes(), pids);
});

it('a check whose process is ended by others says nothing about the function', async () => {
  const checked = checks.check(slow);
  for (const pid of checks.processes()) process.kill(pid ?? 0, 'SIGKILL');
  assert.deepEqual(await checked, { says: 'unavailable' });
});

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import type { Outcome } from '../support/cli.ts';
import { type Service, startService } from '../support/process.ts';
import { openAccount, type RunningAccount } from '../support/running-account.ts';
import { type RegisteredClient, signInForCode } from '../support/sign-in.ts';

const encoded = (body: string) => Buffer.from(`exports.handler = async (context) => { ${body} };`).toString('base64');

/** Commands that look after the hooks of an account, while the service runs. */
describe('gatehouse hook', () => {
  let service: Service;
  let account: RunningAccount;
  let headers: { authorization: string };
  let client: RegisteredClient;
  let email: string;

  before(async () => {
    service = await startService({ database: 'sqlite' });
    account = await openAccount(service, ['limit.sign-in=off']);
    headers = { authorization: `Bearer ${await account.bearer('manage_all')}` };
    ({ client, email } = await account.signIn());
  });
  after(async () => {
    account.close();
    await service.installation.dispose();
  });

  const of = () => ['--account', account.subdomain];
  const signIn = () => signInForCode(account, client, { email });

  function draft(body: string): string {
    const file = join(service.folder, 'draft.js');
    writeFileSync(file, `exports.handler = async (context) => { ${body} };`);
    return file;
  }

  async function write(method: string, path: string, body: string): Promise<string> {
    const json = { type: 'pre-authentication', function: encoded(body) };
    const answer = await account.send(method, `/api/2/hooks${path}`, { headers, json });
    assert.ok(answer.status < 300, answer.text);
    return answer.body.id;
  }

  async function remove(id: string): Promise<void> {
    assert.equal((await account.send('DELETE', `/api/2/hooks/${id}`, { headers })).status, 202);
  }

  function told({ exitCode, stdout, stderr }: Outcome) {
    return { exitCode, said: JSON.parse(stdout || stderr) };
  }

  /** In the process for all commands. */
  async function ask(...args: string[]) {
    return told(await service.installation.ask(['hook', ...args, ...of(), '--json']));
  }

  test("a function's output reaches the terminal as text: no escape sequence, no forged line", async () => {
    const hostile = String.raw`\u001b]52;c;ZXZpbA==\u0007\u009b2J\u202e\r`;
    const id = await write('POST', '', `console.log('${hostile}'); return null`);
    await signIn();
    const { stdout } = await service.installation.ask(['hook', 'logs', id, ...of()]);
    assert.match(stdout, /\\u001b\]52;c;ZXZpbA==\\u0007\\u009b2J\\u202e\\u000d/);
    assert.doesNotMatch(stdout.replaceAll(/[\t\n]/g, ''), /[\p{Cc}\u202e]/u);
    const json = await service.installation.ask(['hook', 'logs', id, ...of(), '--json']);
    assert.doesNotMatch(json.stdout.replaceAll(/[\t\n]/g, ''), /[\p{Cc}\u202e]/u);
    const [execution] = JSON.parse(json.stdout);
    assert.ok(execution.events.some((line: string) => line.includes('\u001b]52') && line.includes('\u202e')));
    const copy = draft(`console.log('${hostile}'); return null`);
    const replayed = await service.installation.run(['hook', 'replay', execution.request_id, ...of(), '--file', copy]);
    assert.match(replayed.stdout, /\\u001b\]52/);
    assert.doesNotMatch(replayed.stdout.replaceAll(/[\t\n]/g, ''), /[\p{Cc}\u202e]/u);
    await remove(id);
  });

  test('logs shows the runs, oldest first, and with --follow new ones', async () => {
    const id = await write('POST', '', "console.log('for', context.app.name);");
    assert.deepEqual((await ask('logs', id)).said, []);
    await signIn();
    await signIn();
    const { said: runs } = await ask('logs', id);
    assert.deepEqual(Object.keys(runs[0]), [
      'request_id',
      'correlation_id',
      'created_at',
      'outcome',
      'duration_ms',
      'attempt',
      'events',
    ]);
    assert.ok(runs.length === 2 && runs[0].created_at <= runs[1].created_at);
    assert.match(runs[0].events[0], /\tINFO\tfor \S/);
    const { stdout } = await service.installation.ask(['hook', 'logs', id, ...of()]);
    assert.match(stdout, new RegExp(`  ${runs[0].request_id}  success  \\d+ ms  attempt 1\\n {2}20`));
    const installed = await service.installation.start(['hook', 'logs', id, ...of(), '--follow', '--json']);
    let text = '';
    installed.stdout.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk;
    });
    const lines = async (count: number) => {
      while (text.split('\n').length <= count) await once(installed.stdout, 'data');
      return text
        .split('\n')
        .slice(0, count)
        .map((line) => JSON.parse(line).request_id);
    };
    const known = runs.map(({ request_id: run }: { request_id: string }) => run);
    assert.deepEqual(await lines(2), known);
    await signIn();
    const [, , third] = await lines(3);
    assert.ok(!known.includes(third));
    installed.kill('SIGINT');
    await once(installed, 'close');
    assert.equal((await ask('logs', '00000000-0000-4000-8000-000000000000')).said.error, 'not_found');
    await remove(id);
  });

  test('replay compares a draft with a recorded run; exit 1 when they differ', async () => {
    const id = await write('POST', '', 'return null;');
    await signIn();
    const [{ request_id: recorded }] = (await ask('logs', id)).said;
    const same = await ask('replay', recorded, '--file', draft('return {};'));
    assert.deepEqual([same.exitCode, same.said.same, same.said.request_id], [0, true, recorded]);
    const other = await ask('replay', recorded, '--file', draft("console.log('no'); return { success: false };"));
    assert.equal(other.exitCode, 1);
    const { output, duration_ms: duration, ...told } = other.said.draft;
    assert.deepEqual(
      [other.said.same, other.said.recorded, told],
      [false, { outcome: 'success', result: 'keeps the policy' }, { outcome: 'refused', result: 'refuses' }],
    );
    assert.match(output[0], /\tINFO\tno$/);
    assert.ok(Number.isInteger(duration));
    const missing = await ask('replay', recorded, '--file', join(service.folder, 'nothing.js'));
    assert.deepEqual([missing.exitCode, /cannot be read/.test(missing.said.message)], [1, true]);
    assert.equal((await ask('logs', id)).said.length, 1, 'a replay does not count as a run of the hook');
    await remove(id);
  });

  test('shadow runs a draft beside the hook, and the log shows where they differ', async () => {
    const id = await write('POST', '', 'return null;');
    const on = await ask('shadow', id, '--file', draft('return { success: false };'));
    assert.deepEqual(on, { exitCode: 0, said: { id, shadow: 'on' } });
    await signIn();
    const logs = async () => (await account.send('GET', `/api/2/hooks/${id}/logs`, { headers })).body;
    while ((await logs())[0].events.length === 0) await delay(25);
    const [line] = (await ask('logs', id)).said[0].events;
    assert.match(line, /\tWARN\tshadow: the draft ends with a refusal, this version with policy \d+$/);
    assert.deepEqual((await ask('shadow', id, '--off')).said, { id, shadow: 'off' });
    assert.match((await ask('shadow', id)).said.message, /give either --file or --off/);
    await remove(id);
  });

  test('at startup the service warms up accounts that have hooks', async () => {
    const id = await write('POST', '', 'return null;');
    assert.doesNotMatch(service.output(), /hooks warmed/, 'there were none when it started');
    await service.stop();
    service = await service.installation.serve();
    while (!/"count":1,[^\n]*hooks warmed|hooks warmed[^\n]*"count":1\b/.test(service.output())) await delay(25);
    await signIn();
    assert.equal((await ask('logs', id)).said.length, 1);
    await remove(id);
  });

  test('rollback undoes the last write, and a second rollback restores it', async () => {
    const id = await write('POST', '', 'return null;');
    const once = await ask('rollback', id);
    assert.deepEqual([once.exitCode, /no previous version/.test(once.said.message)], [1, true]);
    await write('PUT', `/${id}`, 'return { success: false };');
    const read = async () => (await account.send('GET', `/api/2/hooks/${id}`, { headers })).body.function;
    const back = await ask('rollback', id);
    assert.deepEqual(back, { exitCode: 0, said: { id, version: 3, status: 'ready', disabled: false } });
    assert.equal(await read(), encoded('return null;'));
    await signIn();
    await ask('rollback', id);
    assert.equal(await read(), encoded('return { success: false };'));
    await remove(id);
  });

  test('disable and enable change nothing else of a hook, and write nothing when it is so already', async () => {
    const id = await write('POST', '', 'return null;');
    const read = async () => (await account.send('GET', `/api/2/hooks/${id}`, { headers })).body;
    const { disabled, updated_at, ...rest } = await read();
    assert.equal(disabled, false);
    const off = { exitCode: 0, said: { id, version: 2, status: 'ready', disabled: true } };
    assert.deepEqual(await ask('disable', id), off);
    assert.deepEqual(await ask('disable', id), off);
    const { disabled: isOff, updated_at: later, ...same } = await read();
    assert.deepEqual([isOff, same], [true, rest]);
    assert.ok(later >= updated_at);
    await signIn();
    assert.deepEqual((await ask('logs', id)).said, []);
    assert.deepEqual((await ask('enable', id)).said, { id, version: 3, status: 'ready', disabled: false });
    await signIn();
    assert.equal((await ask('logs', id)).said.length, 1);
    const events = await account.send('GET', '/api/2/events?action=hook.changed', { headers });
    const told = events.body.filter(({ detail }: { detail: { hook_id: string } }) => detail.hook_id === id);
    assert.deepEqual(
      told.map(({ detail }: { detail: { fields: string[] } }) => detail.fields),
      [['disabled'], ['disabled']],
    );
    assert.match((await ask('enable', 'none')).said.message, /no such hook/);
    await remove(id);
  });
});

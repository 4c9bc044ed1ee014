/** Each template of `gatehouse hook new` does what it says, in a process as the service runs functions. */

import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { readTemplates } from '../../src/cli/hook-templates.ts';
import { openRunner, type TestRunner } from '../hook-runner/runner.ts';
import { type CliFolder, cliFolder } from '../support/cli.ts';

const refused = { success: false };
const strict = { user: { policy_id: 2 } };
const app = '7b0c1f1e-5a52-4b8e-9f0e-5b1a5c0f6c11';

/** What a function is given instead of the context and the variables of the page, and what it must answer. */
interface Case {
  readonly context?: object;
  readonly env?: Readonly<Record<string, string>>;
  /** Status and body of each request; null: nobody answers. */
  readonly web?: readonly [status: number, body: object] | null;
  readonly answers: unknown;
}

const at = (country_code: string | null, ip = '192.0.2.1') => ({ location: { ip, country_code } });
const hours = (date: string) => ({ context: { now: date } });
const migrated = {
  username: 'ada',
  email: 'ada@old',
  password: 'correct horse battery',
  firstname: 'A',
  lastname: 'L',
};

const cases: Readonly<Record<string, readonly Case[]>> = {
  'allow-countries': [
    { answers: null },
    { context: at('AQ'), answers: refused },
    { context: at(null), answers: refused },
    { context: {}, answers: refused },
  ],
  'refuse-networks': [
    { answers: refused },
    { context: at(null, '192.0.2.255'), answers: refused },
    { context: at(null, '198.51.100.7'), answers: refused },
    { context: at(null, '198.51.100.8'), answers: null },
    { context: at(null, '192.0.3.1'), answers: null },
    { context: at(null, '2001:db8::1'), answers: null },
  ],
  'second-factor-on-risk': [
    { answers: strict },
    { context: { risk: { score: 60, reasons: [] } }, answers: null },
    { context: {}, answers: strict },
  ],
  'policy-for-app': [
    { answers: strict },
    { context: { app: { uuid: 'toString' } }, answers: null },
    { context: { app: { uuid: app.replace('7', '8') } }, answers: null },
  ],
  'office-hours': [
    { ...hours('2026-11-27T06:30:00Z'), answers: null },
    { ...hours('2026-11-27T05:59:00Z'), answers: refused },
    { ...hours('2026-11-27T18:00:00Z'), answers: refused },
    { ...hours('2026-11-28T10:00:00Z'), answers: refused },
  ],
  'second-factor-after-failures': [
    { answers: strict },
    { context: { failed_login_attempts: 2 }, answers: null },
    { context: {}, answers: null },
  ],
  'refuse-without-second-factor': [
    { answers: refused },
    { context: { mfa_devices: [{ device_id: '1' }] }, answers: null },
    { context: {}, answers: refused },
  ],
  'tell-a-service': [
    { web: [200, {}], answers: null },
    { web: [500, {}], answers: null },
    { web: null, answers: null },
  ],
  'ask-a-service': [
    { web: [200, { allowed: true }], answers: null },
    { web: [200, { allowed: 'yes' }], answers: refused },
    { web: [500, { allowed: true }], answers: refused },
    { web: null, answers: refused },
  ],
  'migrate-users': [
    {
      web: [200, { email: 'ada@old', first: 'A', last: 'L' }],
      answers: { success: true, user: migrated },
    },
    { web: [401, {}], answers: refused },
    { web: [404, {}], answers: refused },
    { web: [503, {}], answers: 'the old service answered 503' },
    { web: null, answers: 'fetch failed: unreachable' },
  ],
};

/** The variables of the command that the page shows. */
function variablesOf(command: string): Record<string, string> {
  const given = command.matchAll(/ --env '(\w+)=([^']*)'/g);
  return Object.fromEntries([...given].map(([, name = '', value = '']) => [name, value]));
}

/** The time is the only thing that a function reads and a test cannot set: what it says is put before the function. */
const clock = (now: unknown) =>
  now === undefined
    ? ''
    : `const Was = Date; globalThis.Date = class extends Was { constructor() { super('${now}'); } };\n`;

describe('templates of hooks', () => {
  const templates = readTemplates();
  let runner: TestRunner;
  let web: Case['web'];
  let asked: { url: string; headers: readonly (readonly [string, string])[] }[] = [];

  before(async () => {
    runner = await openRunner({
      fetch: async ({ url, headers }) => {
        asked.push({ url, headers });
        if (!web) return { refused: 'unreachable' };
        const [status, body] = web;
        return { status, url, redirected: false, headers: [], body: Buffer.from(JSON.stringify(body)) };
      },
    });
  });
  after(() => runner.close());

  test('there are ten, each with its cases here', () => {
    assert.deepEqual(templates.map(({ name }) => name).toSorted(), Object.keys(cases).toSorted());
    assert.equal(templates.length, 10);
  });

  for (const { name, function: source, context, command } of templates) {
    test(`${name} does what it says`, async () => {
      for (const one of cases[name] ?? []) {
        web = one.web;
        asked = [];
        const given = { ...JSON.parse(context), ...(one.context && { ...blank, ...one.context }) };
        const variables = variablesOf(command);
        const call = { context: JSON.stringify(given), variables };
        const ran = await runner.call(`${clock(given.now)}${source}`, call);
        const said = ran.ending === 'success' ? JSON.parse(ran.value) : ran.error?.message;
        assert.deepEqual(said, one.answers, JSON.stringify(one));
        if (one.web !== undefined) {
          assert.deepEqual(
            asked.map(({ url }) => url),
            [Object.entries(variables).find(([key]) => key.endsWith('_URL'))?.[1]],
          );
          const sent = new Map(asked[0]?.headers).get('authorization');
          assert.equal(sent, 'Bearer secret');
        }
      }
      const loading = { accountId: 1, source, packages: null, variables: {}, timeoutMilliseconds: 60_000 };
      assert.deepEqual(await runner.load(loading), { says: 'handler' }, 'it can be stored before its variables are');
    });
  }

  describe('on the command line', () => {
    let cli: CliFolder;
    before(() => {
      cli = cliFolder();
    });
    after(() => cli.remove());

    test('are listed, written, and tried with the command that the answer has', async () => {
      const listed = await cli.json('hook', 'new');
      assert.deepEqual(
        listed.map(({ template }: { template: string }) => template),
        templates.map(({ name }) => name),
      );
      const made = await cli.json('hook', 'new', 'allow-countries');
      assert.deepEqual(made.files, ['allow-countries.js', 'allow-countries.json']);
      const [template] = templates;
      assert.equal(readFileSync(join(cli.path, 'allow-countries.js'), 'utf8'), template?.function);
      const words = [...made.command.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain);
      assert.deepEqual(words.slice(0, 2), ['npx', 'gatehouse']);
      const ran = await cli.json(...words.slice(2));
      assert.deepEqual([ran.outcome, ran.value, ran.notes], ['success', null, []]);
    });

    test('do not replace a file, and an unknown name is told which there are', async () => {
      const again = await cli.ask(['hook', 'new', 'allow-countries']);
      assert.deepEqual([again.exitCode, /allow-countries\.js already exists/.test(again.stderr)], [1, true]);
      const unknown = await cli.ask(['hook', 'new', 'countries']);
      assert.match(unknown.stderr, /there is no template countries; use allow-countries, refuse-networks, /);
      assert.equal(existsSync(join(cli.path, 'countries.js')), false);
    });
  });
});

/** What a case leaves out is missing, not as on the page. */
const blank = { location: undefined, risk: undefined, failed_login_attempts: undefined, mfa_devices: undefined };

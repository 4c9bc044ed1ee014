import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TestApp } from '../support/app.ts';
import type { CliFolder } from '../support/cli.ts';
import type { Mistake } from './mistake.ts';

const works = 'exports.handler = async () => null;';
const base64 = (source: string) => Buffer.from(source).toString('base64');

/** A function that is written as a hook, and what is said of it. */
const functions: readonly (readonly [source: string, says: RegExp])[] = [
  ['const a = 1;', /exports no handler: write exports\.handler/],
  ['module.exports = async () => null;', /exports no handler, but is one itself: write exports\.handler/],
  ['exports.handler = null;', /exports a handler that is not a function: write exports\.handler/],
  ['export const handler = async () => null;', /line 1, column 1: .*use require\(\) and exports\.handler/],
  ["import dates from 'date-fns';", /line 1, column 1: .*use require\(\) and exports\.handler/],
  ['exports.handler = async () => {\n  return nul l;\n};', /line 2, column \d+: /],
  ['//'.repeat(10_001), /at most 20000 characters/],
];

/** Members of a hook whose function works. */
const members: readonly (readonly [sent: object, says: RegExp])[] = [
  [{ function: works }, /function must be base64/],
  [{ timeout: 5 }, /timeout must be 1 /],
  [{ retries: 9 }, /retries must be .*4/],
  [{ runtime: 'nodejs24' }, /runtime must be jsruntime/],
  [{ packages: { lodash: '^4.17.0' } }, /packages\.lodash must be an exact version such as 1\.2\.3/],
  [{ packages: { Lodash: '4.17.21' } }, /packages contains an invalid package name: \\?"Lodash/],
  [{ env_vars: ['MISSING'] }, /variable of this account; POST \/api\/2\/hooks\/envs makes one/],
  [{ conditions: [{ source: 'groups', operator: '~', value: 'x' }] }, /source must be roles/],
  [{ conditions: [{ source: 'roles', operator: '=', value: 'x' }] }, /operator must be ~ or !~/],
  [{ context_version: '9.0.0' }, /context_version must be/],
  [{ code: 'x' }, /code is not allowed/],
];

/** A variable, beside one whose name is TAKEN. */
const variables: readonly (readonly [sent: object, says: RegExp])[] = [
  [{ name: 'TAKEN', value: 'x' }, /name has already been taken/],
  [{ name: 'API-KEY', value: 'x' }, /must begin with a letter or _/],
  [{ name: 'EMPTY', value: '' }, /value must have at least 1 character/],
];

/** A function that runs here, and what its author reads; `more`: further options. */
const runs: readonly (readonly [source: string, says: RegExp, more?: readonly string[]])[] = [
  ["exports.handler = async () => 'allow';", /not valid for pre-authentication: .*return \{ success: true, user/],
  ['exports.handler = async () => ({ user: { policyId: 7 } });', /did you mean policy_id\?/],
  ['exports.handler = async () => ({ sucess: false });', /did you mean success\?/],
  ['exports.handler = (context, callback) => callback(null, {});', /gets the context alone: return the answer/],
  ["const { readFileSync } = require('node:fs');", /functions do not have Node's node:fs/],
  ["require('./names.js');", /a function is one file/],
  ['exports.handler = () => new Promise(() => {});', /timeout[\s\S]*has 1 s: .*never settles/],
  ["exports.handler = () => fetch('http://10.0.0.1/');", /HOOK_EGRESS says where/],
  ["exports.handler = () => fetch('/users');", /give the whole URL, with https/],
  ["exports.handler = () => { throw 'no table'; };", /no table/],
  ['exports.handler = async () => ({ score: Number.NaN });', /the answer contains NaN/],
  ["exports.handler = async () => 'x'.repeat(20_000);", /the answer is longer than 16384 characters/],
  [works, /use name@version/, ['--package', 'date-fns']],
  [works, /exact version such as 1\.2\.3/, ['--package', 'date-fns@latest']],
  [works, /KEY must have the form/, ['--env', 'KEY']],
];

async function sent(app: TestApp) {
  const headers = { authorization: `Bearer ${await app.bearer('manage_all')}` };
  await app.send('POST', '/api/2/hooks/envs', { headers, json: { name: 'TAKEN', value: 'x' } });
  return (path: string, json: object, says: RegExp): Mistake => ({
    made: `POST ${path} ${JSON.stringify(json).slice(0, 160)}`,
    told: async () => {
      const { status, text } = await app.send('POST', path, { headers, json });
      return status >= 400 && status < 500 ? text : '';
    },
    says,
  });
}

/** Some of these succeed, and say what the service would not read. */
function run(cli: CliFolder, source: string, says: RegExp, more: readonly string[] = []): Mistake {
  return {
    made: ['gatehouse hook run', ...more, source].join(' '),
    told: async () => {
      writeFileSync(join(cli.path, 'hook.js'), source);
      const options = ['--type', 'pre-authentication', '--context', 'context.json', ...more];
      const { stdout, stderr } = await cli.ask(['hook', 'run', ...options, 'hook.js']);
      return `${stderr}${stdout}`.trim();
    },
    says,
  };
}

/** Expects the files that `prepareFolder` writes. */
export async function hookMistakes(app: TestApp, cli: CliFolder): Promise<readonly Mistake[]> {
  const post = await sent(app);
  const least = { type: 'pre-authentication', function: base64(works) };
  return [
    ...functions.map(([source, says]) => ({
      ...post('/api/2/hooks', { ...least, function: base64(source) }, says),
      made: `POST /api/2/hooks ${source.slice(0, 80)}`,
    })),
    ...members.map(([more, says]) => ({
      ...post('/api/2/hooks', { ...least, ...more }, says),
      made: `POST /api/2/hooks ${JSON.stringify(more)}`,
    })),
    ...variables.map(([variable, says]) => post('/api/2/hooks/envs', variable, says)),
    ...runs.map(([source, says, more]) => run(cli, source, says, more)),
  ];
}

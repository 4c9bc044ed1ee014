import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { TestApp } from '../../support/app.ts';
import { encoded, least, source } from './hooks.ts';
import { assertRefused, managing } from './managing.ts';

/** What a hook that is written must keep to (the document's §2.3 and §4.4). */
export function hookRules(app: () => TestApp): void {
  it('each rule has its message (A6)', async () => {
    const api = await managing(app());
    const faults: readonly (readonly [body: object, message: RegExp])[] = [
      [{ function: source }, /type/],
      [{ type: 'pre-authentication' }, /function/],
      [{ type: 'post-authentication' }, /type must be pre-authentication or user-migration/],
      [{ type: 7 }, /type must be/],
      [{ function: 7 }, /function must be a string/],
      [{ function: 'exports.handler = 1' }, /^function must be base64$/],
      [{ function: 'YQ' }, /^function must be base64$/],
      [{ function: 'YR==' }, /^function must be base64$/],
      [{ function: 'YQ ==' }, /^function must be base64$/],
      [{ function: 'YWJj\nYWJj' }, /^function must be base64$/],
      [{ function: '_-8=' }, /^function must be base64$/],
      [{ function: null }, /function must be a string/],
      [{ function: '/w==' }, /^function must be UTF-8 in base64$/],
      [{ function: encoded('x'.repeat(20_001)) }, /^function must have at most 20000 characters when decoded$/],
      [{ function: encoded('const a = 1;\nconst = 2;') }, /^function does not compile: line 2, column \d+: Unexpected/],
      [{ function: encoded('export const handler = 1;') }, /^function does not compile: line 1, .*use require\(\)/],
      [{ function: encoded('const a = 1;') }, /^function exports no handler: write exports\.handler = async/],
      [{ function: encoded('exports.hander = () => null;') }, /^function exports no handler, but hander: write/],
      [{ function: encoded('module.exports = () => null;') }, /^function exports no handler, but is one itself: /],
      [{ function: encoded('exports.handler = 7;') }, /^function exports a handler that is not a function: write/],
      [{ function: encoded('exports.hander = 7;'), disabled: true }, /^function exports no handler, but hander/],
      [{ disabled: 'no' }, /disabled must be true or false/],
      [{ runtime: 'nodejs22.x' }, /^runtime must be jsruntime12\.x$/],
      [{ retries: 5 }, /retries must be at most 4/],
      [{ retries: -1 }, /retries must be at least 0/],
      [{ retries: 0.5 }, /retries must be an integer/],
      [{ timeout: 0 }, /timeout must be at least 1/],
      [{ timeout: 2 }, /^timeout must be 1 for pre-authentication$/],
      [{ timeout: 1.5 }, /timeout must be an integer/],
      [{ timeout: '1' }, /timeout must be an integer/],
      [{ type: 'user-migration', timeout: 11 }, /timeout must be at most 10/],
      [{ options: [] }, /options must be an object/],
      [{ options: { risk: true } }, /options|risk|additional/],
      [{ options: { risk_enabled: 'yes' } }, /options\.risk_enabled must be true or false/],
      [{ location_enabled: 1 }, /location_enabled must be true or false/],
      [{ env_vars: 'A' }, /env_vars must be an array/],
      [{ env_vars: [7] }, /env_vars/],
      [{ env_vars: ['NOT_THERE'] }, /^env_vars\.0 must be the name of a variable .* makes one$/],
      [{ env_vars: [{ name: 'NOT_THERE' }] }, /^env_vars\.0 must be the name of a variable .* makes one$/],
      [{ env_vars: [{}] }, /env_vars\.0/],
      [{ env_vars: Array.from({ length: 101 }, (_, at) => `A${at}`) }, /env_vars must have at most 100/],
      [{ env_vars: ['A', 'A'] }, /^env_vars\.1 must not be repeated$/],
      [{ packages: ['lodash'] }, /packages must be an object/],
      [{ packages: { lodash: 4 } }, /packages\.lodash must be a string/],
      [{ packages: { lodash: '^4.17.21' } }, /^packages\.lodash must be an exact version such as 1\.2\.3$/],
      [{ packages: { lodash: 'latest' } }, /^packages\.lodash must be an exact version/],
      [{ packages: { lodash: 'v4.17.21' } }, /^packages\.lodash must be an exact version/],
      ...['', '1', '4.17', '4.x', '*', '=4.17.21', ' 4.17.21', '>=4.17.21 <5', 'npm:x@1.0.0', 'file:x'].map(
        (version) => [{ packages: { lodash: version } }, /^packages\.lodash must be an exact version/] as const,
      ),
      [{ packages: { Lodash: '4.17.21' } }, /^packages contains an invalid package name: "Lodash"$/],
      [{ packages: { '../x': '1.0.0' } }, /^packages contains an invalid package name: "\.\.\/x"$/],
      [{ packages: Object.fromEntries(Array.from({ length: 21 }, (_, at) => [`p${at}`, '1.0.0'])) }, /packages must/],
      [{ conditions: {} }, /conditions must be an array/],
      [{ conditions: [{ source: 'roles', operator: '~' }] }, /conditions\.0.*value/],
      [{ conditions: [{ source: 'groups', operator: '~', value: '1' }] }, /conditions\.0\.source must be roles/],
      [{ conditions: [{ source: 'roles', operator: '=', value: '1' }] }, /conditions\.0\.operator must be ~ or !~/],
      [{ conditions: [{ source: 'roles', operator: '~', value: '' }] }, /conditions\.0\.value must have at least 1/],
      [{ conditions: Array(11).fill({ source: 'roles', operator: '~', value: '1' }) }, /conditions must have at most/],
      [
        { type: 'user-migration', conditions: [{ source: 'roles', operator: '~', value: '1' }] },
        /^conditions must be empty for user-migration/,
      ],
      [{ context_version: '2.0.0' }, /^context_version must be 1\.0\.0, 1\.1\.0 or a range/],
      [{ context_version: 'newest' }, /^context_version must be 1\.0\.0, 1\.1\.0 or a range/],
      [{ context_version: '>2' }, /^context_version must be 1\.0\.0, 1\.1\.0 or a range/],
      [{ context_version: 1 }, /context_version must be a string/],
      [{ name: 'mine' }, /name|additional/],
    ];
    const { id } = await api.done(201, 'POST', '/hooks', { ...least, disabled: true });
    for (const [at, [body, message]] of faults.entries()) {
      const sent = at < 2 ? body : { ...least, ...body };
      const what = JSON.stringify(sent).slice(0, 120);
      assertRefused(await api.call('POST', '/hooks', sent), 422, message, what);
      assertRefused(await api.call('PUT', `/hooks/${id}`, sent), 422, message, what);
    }
    for (const version of ['1.0.0', '1.1.0', '1.x', '^1.0.0', '~1.0.0', '>=1']) {
      const made = await api.done(201, 'POST', '/hooks', { ...least, disabled: true, context_version: version });
      assert.equal(made.context_version, version);
    }
    const whole = 'exports.handler = () => null;//';
    const longest = encoded(`${whole}${'x'.repeat(20_000 - whole.length)}`);
    assert.equal((await api.done(201, 'POST', '/hooks', { ...least, function: longest })).function, longest);
    const migration = { ...least, disabled: true, type: 'user-migration', timeout: 10 };
    assert.equal((await api.done(201, 'POST', '/hooks', migration)).timeout, 10);
  });

  it('a function that throws while it is loaded is stored with a warning, without values of its variables', async () => {
    const api = await managing(await app().another());
    await api.done(201, 'POST', '/hooks/envs', { name: 'TOKEN', value: 'a secret value' });
    const throwing = encoded("if (!process.env.LATER) throw new Error('no LATER beside ' + process.env.TOKEN);");
    const sent = { ...least, function: throwing, env_vars: ['TOKEN'] };
    const warning = 'the function could not be loaded: it threw Error: no LATER beside ****';
    const { warning: told, ...made } = await api.done(201, 'POST', '/hooks', sent);
    assert.deepEqual([told, made.status], [warning, 'ready']);
    assert.deepEqual(await api.done(200, 'GET', `/hooks/${made.id}`), made);
    // What an answer has may be sent back.
    const again = await api.done(200, 'PUT', `/hooks/${made.id}`, { ...made, warning });
    assert.equal(again.warning, warning);
    const asking = encoded("fetch('https://a.example/'); exports.handler = () => null;");
    const { warning: none } = await api.done(201, 'POST', '/hooks', { ...least, function: asking });
    assert.equal(none, undefined);
  });

  it('conditions that name no role are stored with a warning, until there is such a role', async () => {
    const api = await managing(await app().another());
    const staff = await api.done(201, 'POST', '/roles', { name: 'Ståff' });
    const conditions = ['Ståff'.normalize('NFD'), 'staff', String(staff.id), '9999999999', String(staff.id + 1)].map(
      (value, at) => ({ source: 'roles', operator: at % 2 === 0 ? '~' : '!~', value }),
    );
    const unknown = [1, 3, 4].map((at) => `conditions.${at}.value`).join(', ');
    const warning = `${unknown}: no role of this account has this id or name; nobody has it`;
    const { warning: told, ...made } = await api.done(201, 'POST', '/hooks', { ...least, conditions });
    assert.equal(told, warning);
    assert.deepEqual(await api.done(200, 'GET', `/hooks/${made.id}`), made);
    assert.deepEqual(made.conditions, conditions);
    const throwing = { ...least, function: encoded("throw new Error('early');"), conditions };
    const both = await api.done(200, 'PUT', `/hooks/${made.id}`, throwing);
    assert.equal(both.warning, `the function could not be loaded: it threw Error: early; ${warning}`);
    const one = { ...least, conditions: [{ source: 'roles', operator: '~', value: 'staff' }] };
    assert.match((await api.done(200, 'PUT', `/hooks/${made.id}`, one)).warning, /^conditions\.0\.value: no role/);
    await api.done(201, 'POST', '/roles', { name: 'staff' });
    assert.equal((await api.done(200, 'PUT', `/hooks/${made.id}`, one)).warning, undefined);
  });
}

/** Every screen of the console, in an account that has something for each. */

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';
import type { UserRecord } from '../../../src/store/users.ts';
import { makeAdministrator } from '../../support/console.ts';
import { recordRun } from '../../support/hook-runs.ts';
import { giveDevice } from '../../support/second-factor.ts';
import { makeUser, registerClient, signInForCode } from '../../support/sign-in.ts';
import { type Management, managing } from '../../surfaces/api-2/managing.ts';
import type { Stage } from '../stage.ts';

/** The paths of screens, as the console lists them. */
export const paths = [
  ...readFileSync(new URL('../../../src/console/frame/screens.tsx', import.meta.url), 'utf8').matchAll(
    /\{ path: '([^']*)'/g,
  ),
].map(([, path = '']) => path);

export interface Scene {
  readonly name: string;
  /** Below `/console`. */
  readonly path: string;
  /** What is done on the screen before it is looked at. */
  readonly act?: (page: Page) => Promise<void>;
}

export interface Setting {
  readonly administrator: UserRecord;
  /** Of what each path with `:id` shows, by the path. */
  readonly ids: Readonly<Record<string, number | string>>;
}

const shown = (selector: string) => (page: Page) => page.locator(selector).filter({ visible: true }).first().waitFor();

/** Scenes that are more than a screen that was opened. */
const acted = (ids: Setting['ids']): readonly Scene[] => [
  {
    name: 'explain',
    path: `/users/${ids['users/:id']}`,
    act: async (page) => {
      await page.getByRole('option', { name: 'Expense Desk' }).waitFor({ state: 'attached' });
      await page.getByLabel('App', { exact: true }).selectOption({ label: 'Expense Desk' });
      await page.getByRole('button', { name: 'Explain', exact: true }).click();
      await page.getByRole('list', { name: 'Decisions of the sign-in' }).waitFor();
    },
  },
  {
    name: 'confirmation',
    path: `/users/${ids['users/:id']}`,
    act: async (page) => {
      await page.getByRole('button', { name: 'Delete', exact: true }).click();
      await page.getByRole('dialog').getByRole('textbox').waitFor();
    },
  },
  {
    name: 'palette',
    path: '/roles',
    act: async (page) => {
      await page.keyboard.press('Control+k');
      await page.keyboard.type('us');
      await page.getByRole('option').first().waitFor();
    },
  },
  {
    name: 'new app',
    path: '/apps',
    act: async (page) => {
      await page.getByRole('button', { name: 'New app' }).click();
      await page.getByRole('dialog').getByLabel('Name').waitFor();
    },
  },
  {
    name: 'hook tested',
    path: `/hooks/${ids['hooks/:id']}`,
    act: async (page) => {
      await page.getByRole('textbox', { name: 'Context as JSON' }).getByText('user_identifier').waitFor();
      await page.getByRole('button', { name: 'Test', exact: true }).click();
      await page.getByRole('region', { name: 'Result' }).getByText('success', { exact: true }).waitFor();
    },
  },
  { name: 'hook versions', path: `/hooks/${ids['hooks/:id']}?view=versions`, act: shown('.cm-content') },
  { name: 'hook draft', path: `/hooks/${ids['hooks/:id']}?view=draft`, act: shown('.cm-content') },
  { name: 'hook log', path: `/hooks/${ids['hooks/:id']}?view=log&run=${ids['run']}`, act: shown('.lines') },
  {
    name: 'users chosen',
    path: '/users',
    act: async (page) => {
      await page.getByLabel('Choose all on this page').check();
      await page.getByRole('region', { name: 'Chosen users' }).getByRole('button', { name: 'Delete' }).click();
      await page.getByRole('dialog').getByRole('textbox').waitFor();
    },
  },
  {
    name: 'columns of users',
    path: '/users',
    act: async (page) => {
      await page.getByRole('button', { name: 'Columns' }).click();
      await page.getByRole('dialog').getByLabel('Cost centre').waitFor();
    },
  },
  {
    name: 'import tried',
    path: '/users/import',
    act: async (page) => {
      const lines = ['email,firstname,roles', 'hedy@example.com,Hedy,Finance', 'no@example.com,No,Nobody'];
      const file = { name: 'people.csv', mimeType: 'text/csv', buffer: Buffer.from(lines.join('\n')) };
      await page.getByLabel('File', { exact: true }).setInputFiles(file);
      await page.getByRole('button', { name: 'Preview' }).click();
      await page.getByText('Nothing was changed yet').waitFor();
    },
  },
  { name: 'nothing found', path: '/users?q=nobody' },
  { name: 'no such screen', path: '/nowhere' },
];

/** Names by which tests tell scenes, each of which is told where its screen is once there is an account. */
export const sceneNames: readonly string[] = [
  ...paths.map((path) => path || 'overview'),
  ...acted({}).map(({ name }) => name),
];

export function sceneOf({ ids }: Setting, name: string): Scene {
  const found = acted(ids).find((scene) => scene.name === name);
  if (found) return found;
  if (name === 'overview') return { name, path: '' };
  if (!name.includes(':id')) return { name, path: `/${name}` };
  const id = ids[name] ?? assert.fail(`there is nothing to show at ${name}: give it an id here`);
  return { name, path: `/${name.replace(':id', String(id))}` };
}

/** People, apps and all else, as an account that is used has them. */
export async function furnish({ app }: Stage): Promise<Setting> {
  const api = await managing(app);
  const administrator = await makeAdministrator(app, ['manage_all'], { firstname: 'Margaret', lastname: 'Hamilton' });
  const client = await registerClient(app, {
    client_name: 'Expense Desk',
    redirect_uris: ['https://app.example.com/callback', 'https://staging.example.com/callback'],
  });
  await registerClient(app, { client_name: 'Payroll' });
  await api.done(201, 'POST', '/users/custom_attributes', {
    user_field: { name: 'Cost centre', shortname: 'cost_centre' },
  });
  const people = await makePeople(app, client.app_id);
  const [grace, ada] = people;
  await api.done(200, 'PUT', `/users/${grace.id}`, { title: 'Rear admiral', department: 'Navy', company: 'Univac' });
  const policy = await api.done(201, 'POST', '/policies', { name: 'Second factor for finance', otp_required: true });
  const users = [grace.id, ada.id];
  const role = await api.done(201, 'POST', '/roles', { name: 'Finance', apps: [client.app_id], users });
  const server = await api.done(200, 'POST', '/api_authorizations', {
    name: 'Expenses API',
    description: 'Read and approve expenses',
    configuration: { resource_identifier: 'https://api.example.com/expenses' },
  });
  await signInForCode(app, client, grace, { scope: 'openid profile email' });
  await signInForCode(app, client, grace);
  await giveDevice(app, grace);
  await api.done(200, 'PUT', `/users/${grace.id}`, { status: 3 });
  const hook = await writeHook(app, api);
  return {
    administrator,
    ids: {
      ...hook,
      'users/:id': grace.id,
      'apps/:id': client.app_id,
      'roles/:id': role.id,
      'policies/:id': policy.id,
      'apis/:id': server.id,
    },
  };
}

/** A hook with two versions, a draft, and runs in its log. */
async function writeHook(app: Stage['app'], api: Management): Promise<Record<'hooks/:id' | 'run', string>> {
  const type = 'pre-authentication';
  const [first, second, third] = [
    'exports.handler = async () => null;\n',
    `/** Asks for a second factor from new devices. */
exports.handler = async ({ user, risk }) => {
  console.log('risk of', user.user_identifier, risk?.score);
  if (risk?.reasons.includes('new_device')) return { user: { policy_id: Number(process.env.STRICT_POLICY) } };
  return null;
};
`,
    'exports.handler = async () => ({ success: false });\n',
  ].map((code) => Buffer.from(code).toString('base64'));
  const [policy] = await api.done(200, 'GET', '/policies');
  await api.done(201, 'POST', '/hooks/envs', { name: 'STRICT_POLICY', value: String(policy.id) });
  // It would run at each sign-in to the console.
  const disabled = true;
  const { id } = await api.done(201, 'POST', '/hooks', { type, function: first, disabled });
  const changed = { type, disabled, function: second, options: { risk_enabled: true }, env_vars: ['STRICT_POLICY'] };
  await api.done(200, 'PUT', `/hooks/${id}`, changed);
  await api.done(200, 'PUT', `/hooks/${id}/draft`, { function: third });
  await recordRun(app, id, { outcome: 'timeout', durationMilliseconds: 1000, events: [] });
  const wrote = '2026-11-29T10:00:00.000Z\t0e9fdb53-8a68-4a5a-a0b4-1ad4a9ec0d2a\tINFO\trisk of ada@example.com 30';
  return { 'hooks/:id': id, run: await recordRun(app, id, { events: [wrote] }) };
}

async function makePeople(app: Stage['app'], appId: number): Promise<readonly [UserRecord, UserRecord]> {
  const make = (firstname: string, lastname: string, given: object = {}) =>
    makeUser(app, appId, {
      firstname,
      lastname,
      email: `${firstname}.${lastname}@example.com`.toLowerCase(),
      ...given,
    });
  const grace = await make('Grace', 'Hopper', { username: 'grace' });
  const ada = await make('Ada', 'Lovelace');
  await make('Katherine', 'Johnson');
  await make('Radia', 'Perlman');
  return [grace, ada];
}

/** Every screen of the console, in an account that has something for each. */

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';
import type { UserRecord } from '../../../src/store/users.ts';
import { makeAdministrator } from '../../support/console.ts';
import { giveDevice } from '../../support/second-factor.ts';
import { makeUser, registerClient, signInForCode } from '../../support/sign-in.ts';
import { managing } from '../../surfaces/api-2/managing.ts';
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
  // It would run at each sign-in to the console.
  const source = Buffer.from('exports.handler = async ({ user }) => ({ user });').toString('base64');
  const hook = await api.done(201, 'POST', '/hooks', { type: 'pre-authentication', function: source, disabled: true });
  await signInForCode(app, client, grace, { scope: 'openid profile email' });
  await signInForCode(app, client, grace);
  await giveDevice(app, grace);
  await api.done(200, 'PUT', `/users/${grace.id}`, { status: 3 });
  return {
    administrator,
    ids: {
      'users/:id': grace.id,
      'apps/:id': client.app_id,
      'roles/:id': role.id,
      'policies/:id': policy.id,
      'apis/:id': server.id,
      'hooks/:id': hook.id,
    },
  };
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

/**
 * What the canary test hides in hooks and in a device: values, a source, console output, a password that is migrated.
 */

import assert from 'node:assert/strict';
import type { RunningAccount } from '../support/running-account.ts';
import { authorizePath, CookieJar, type RegisteredClient, submit, walk } from '../support/sign-in.ts';
import type { Carried, Secrets } from './canary.ts';

const variable = 'CANARY';
const written = {
  variable_value: 'canary-variable-c81f',
  former_value: 'canary-former-value-27aa',
  function_source: 'canary-source-5be0',
  console_output: 'canary-output-1177',
  migrated_password: 'canary migrated password 90d2',
};

/** Logs everything it knows, also in an error; `console_output` is concatenated, so that no source contains it. */
const talking = `// ${written.function_source}
exports.handler = async (context) => {
  const said = 'canary-' + 'output-1177';
  console.log(said, process.env.${variable}, context);
  console.error({ nested: [process.env.${variable}], password: context.password });
  if (context.password) throw new Error(said + process.env.${variable} + context.password);
  return null;
};`;

export interface PlantedHooks {
  /** By the names that requests give them. */
  readonly secrets: Secrets;
  /** Requests about hooks as they should be. */
  readonly calls: readonly Carried[];
}

/** Creates a hook of each type; they fire in a sign-in of the user and in one with an unknown name. */
export async function plantHooks(
  account: RunningAccount,
  client: RegisteredClient,
  token: string,
  user: { readonly username: string; readonly password: string },
): Promise<PlantedHooks> {
  const made = await call(account, token, 'POST', '/hooks/envs', { name: variable, value: written.former_value });
  await call(account, token, 'PUT', `/hooks/envs/${made.id}`, { value: written.variable_value });
  const hooks: { readonly id: string }[] = [];
  for (const type of ['pre-authentication', 'user-migration']) {
    const source = Buffer.from(talking).toString('base64');
    const hook = { type, function: source, env_vars: [variable], context_version: '1.1.0' };
    hooks.push(await call(account, token, 'POST', '/hooks', hook));
  }
  const stranger = { username: 'canary-stranger@example.com', password: written.migrated_password };
  for (const typed of [user, stranger]) {
    await submit(account, await walk(account, new CookieJar(), authorizePath(client)), typed);
  }
  for (const { id } of hooks) {
    const context = { password: written.migrated_password };
    await call(account, token, 'POST', `/hooks/${id}/test`, context);
  }
  for (const { id } of hooks) {
    const [record] = await call(account, token, 'GET', `/hooks/${id}/logs`);
    const said = JSON.stringify(record);
    assert.ok(said.includes(written.console_output), `the hook said nothing: ${said}`);
    assert.ok(!said.includes(written.variable_value) && !said.includes(written.migrated_password), said);
  }
  return { secrets: written, calls: hookCalls(token, hooks[0]?.id ?? '') };
}

/** Registers a device of the user; answers what its one-time passwords are made of. */
export async function plantDevice(account: RunningAccount, token: string, email: string): Promise<string> {
  const [user] = await call(account, token, 'GET', `/users?email=${encodeURIComponent(email)}`);
  const device = { factor_id: 1, display_name: 'Phone', expires_in: 900, verified: true };
  const registration = await call(account, token, 'POST', `/mfa/users/${user.id}/registrations`, device);
  return registration.factor_data.verification_token;
}

function hookCalls(token: string, id: string): Carried[] {
  const headers = { authorization: `Bearer ${token}` };
  const function64 = Buffer.from(talking).toString('base64');
  const hook = { type: 'pre-authentication', function: function64, env_vars: [variable] };
  const at = (method: string, path: string, json: object): Carried => ({
    method,
    path: `/api/2/hooks${path}`,
    sent: { headers, json },
  });
  return [
    at('POST', '/envs', { name: 'ANOTHER', value: written.variable_value }),
    at('POST', '', hook),
    at('PUT', `/${id}`, hook),
    at('POST', `/${id}/test`, { password: written.migrated_password }),
  ];
}

async function call(account: RunningAccount, token: string, method: string, path: string, json?: object) {
  const headers = { authorization: `Bearer ${token}` };
  const answer = await account.send(method, `/api/2${path}`, { headers, ...(json && { json }) });
  assert.ok(answer.status < 300, `${method} ${path}: ${answer.status} ${answer.text}`);
  return answer.body;
}

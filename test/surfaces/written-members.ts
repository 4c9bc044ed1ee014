import assert from 'node:assert/strict';
import { it } from 'node:test';
import { createRole } from '../../src/domain/roles/write-role.ts';
import { unique } from '../store/samples.ts';
import type { TestApp } from '../support/app.ts';
import { contracts } from '../support/conforms.ts';
import { follow } from '../support/read-members.ts';
import { managing, newUser } from './api-2/managing.ts';
import { calling, userXml, type XmlValue } from './xml/calling.ts';

interface Member {
  readonly $ref?: string;
  readonly examples: readonly unknown[];
  readonly readOnly?: boolean;
}

type Values = Readonly<Record<string, unknown>>;

/** The members of a schema that can be written, with an example of each. */
function writable(surface: string, schema: string): Values {
  const contract = contracts.get(surface)?.contract as unknown as {
    components: { schemas: Record<string, { properties: Record<string, Member> }> };
  };
  const members = Object.entries(contract.components.schemas[schema]?.properties ?? {})
    .map(([name, member]) => [name, follow(contract, member)] as const)
    .filter(([, member]) => !member.readOnly);
  assert.ok(members.length > 0, `${surface} ${schema}`);
  return Object.fromEntries(members.map(([name, { examples }]) => [name, examples[0]]));
}

/** Writes each member alone, and asserts that another reading shows it and did not before. */
async function assertWritten(
  members: Values,
  write: (member: Values) => Promise<{ readonly before: Values; readonly after: Values }>,
): Promise<void> {
  for (const [name, value] of Object.entries(members)) {
    const { before, after } = await write({ [name]: value });
    assert.notDeepEqual(before[name], value, `${name} had that value before`);
    assert.deepEqual(after[name], value, `${name} is not stored`);
  }
}

/** Each member of a user that callers may write is stored: this finds handlers that forget one. */
export function writtenMembers(app: () => TestApp): void {
  it('each member of a user that JSON can write is read back', async () => {
    const api = await managing(app());
    const shortname = unique('badge');
    await api.done(201, 'POST', '/users/custom_attributes', { user_field: { name: 'Badge', shortname } });
    // `user-writes.ts` and `user-imports.ts` show what these do: nothing shows them.
    const { password, password_confirmation, password_algorithm, salt, ...shown } = writable('api-2', 'UserInput');
    const values = async () => ({
      ...shown,
      email: `${unique('ada')}@example.com`,
      username: unique('ada'),
      role_ids: [(await createRole(app().services, app().account, { name: unique('role') })).id],
      manager_user_id: (await newUser(api)).id,
      policy_id: (await api.done(200, 'GET', '/policies'))[0].id,
      custom_attributes: { [shortname]: '1815' },
      status: 3,
      state: 2,
    });
    // Other attributes of the account have no value here.
    const read = async (id: number) => {
      const { custom_attributes: attributes, ...user } = await api.done(200, 'GET', `/users/${id}`);
      return { ...user, custom_attributes: { [shortname]: attributes[shortname] } };
    };
    assert.deepEqual(Object.keys(await values()).toSorted(), Object.keys(shown).toSorted());
    await assertWritten(await values(), async (member) => {
      const { id } = await newUser(api);
      const before = await read(id);
      await api.done(200, 'PUT', `/users/${id}`, member);
      return { before, after: await read(id) };
    });
    await assertWritten(await values(), async (member) => {
      const { id } = await newUser(api, member);
      return { before: await read((await newUser(api)).id), after: await read(id) };
    });
  });

  it('each member of a user that XML can write is read back', async () => {
    const xml = await calling(app());
    const changes = writable('xml', 'UserUpdate');
    // Its effect is an active user.
    const { password, ...creation } = writable('xml', 'UserCreate');
    assert.deepEqual(creation, changes);
    const values = async () => ({
      ...changes,
      email: `${unique('ada')}@example.com`,
      'openid-name': unique('ada'),
      'role-id': (await createRole(app().services, app().account, { name: unique('role') })).id,
    });
    const make = async (member: Values = {}): Promise<number> => {
      const given = { email: `${unique('user')}@example.com`, ...member };
      return (await xml.done(201, 'POST', '/users.xml', userXml(given as Record<string, XmlValue>))).id;
    };
    const read = (id: number): Promise<Values> => xml.done(200, 'GET', `/users/${id}.xml`);
    assert.deepEqual(Object.keys(await values()).toSorted(), Object.keys(changes).toSorted());
    await assertWritten(await values(), async (member) => {
      const id = await make();
      const before = await read(id);
      await xml.done(200, 'PUT', `/users/${id}.xml`, userXml(member as Record<string, XmlValue>));
      return { before, after: await read(id) };
    });
    await assertWritten(await values(), async (member) => ({
      before: await read(await make()),
      after: await read(await make(member)),
    }));
    assert.equal((await read(await make({ password })))['status'], 1);
  });
}

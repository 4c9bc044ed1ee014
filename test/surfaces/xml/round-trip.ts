import assert from 'node:assert/strict';
import { it, type TestContext } from 'node:test';
import fc from 'fast-check';
import { createRole } from '../../../src/domain/roles/write-role.ts';
import { readSeed } from '../../properties/seed.ts';
import { anyText, controlText, textOfOneClass } from '../../properties/text.ts';
import { unique } from '../../store/samples.ts';
import type { TestApp } from '../../support/app.ts';
import type { Answer } from '../../support/conforms.ts';
import { readXmlAnswer } from '../../support/xml-answer.ts';
import { managing } from '../api-2/managing.ts';
import { calling, userXml, type XmlValue } from './calling.ts';

/** The members that both surfaces have, by element. */
const members = {
  email: 'email',
  firstname: 'firstname',
  'group-id': 'group_id',
  lastname: 'lastname',
  notes: 'comment',
  'openid-name': 'username',
  phone: 'phone',
} as const;

type Member = keyof typeof members;

const hostile = fc.constantFrom(
  ...[
    '',
    ' ',
    'a ',
    ' a',
    '\t',
    'a\nb',
    'a\rb',
    'a\r\nb',
    ']]>',
    '&amp;',
    '<b>',
    '<!-- -->',
    '<!DOCTYPE a>',
    '&#0;',
    '0',
    'null',
  ],
);
const text = fc.oneof(
  { weight: 20, arbitrary: textOfOneClass({ minLength: 1, maxLength: 20 }).map((some) => `a${some}z`) },
  { weight: 2, arbitrary: anyText({ minLength: 1, maxLength: 20 }) },
  { weight: 2, arbitrary: hostile },
  { weight: 1, arbitrary: controlText },
  { weight: 1, arbitrary: fc.constantFrom('é'.repeat(255), 'é'.repeat(256), '😀'.repeat(1024), '😀'.repeat(1025)) },
);
const email = fc.oneof({ weight: 9, arbitrary: fc.emailAddress({ size: '-1' }) }, text);
const number = fc.oneof({ weight: 9, arbitrary: fc.nat() }, fc.constantFrom(-1, 0, 2 ** 31 - 1, 2 ** 31));

const values = fc.record({
  email: fc.option(email),
  firstname: fc.option(text),
  'group-id': fc.option(number),
  lastname: fc.option(text),
  notes: fc.option(text),
  'openid-name': fc.option(text),
  phone: fc.option(text),
} satisfies Record<Member, fc.Arbitrary<XmlValue>>);

/** A few of them: one value that is refused hides what becomes of the others. */
const given = fc
  .tuple(values, fc.subarray(Object.keys(members) as Member[], { minLength: 1, maxLength: 3 }))
  .map(([all, names]) => Object.fromEntries(names.map((name) => [name, all[name]])) as Given);

type Given = Partial<Record<Member, XmlValue>>;

const asJson = (sent: Given) =>
  Object.fromEntries(Object.entries(sent).map(([name, value]) => [members[name as Member], value]));

/** What both show of a user; they must agree. */
function agreed(xml: Readonly<Record<string, XmlValue>>, json: Answer['body']): Given & { 'role-id': XmlValue } {
  for (const [element, member] of Object.entries(members)) assert.equal(xml[element], json[member], element);
  assert.equal(xml['role-id'], json.role_ids[0] ?? null, 'role-id');
  for (const name of ['created', 'updated', 'activated', 'password_changed', 'invitation_sent']) {
    const time = json[`${name}_at`];
    const told = xml[`${name.replace('_', '-')}-at`];
    assert.equal(told ?? null, time === null ? null : time.replace('Z', '+00:00'), name);
  }
  assert.deepEqual([xml['id'], xml['status']], [json.id, json.status]);
  const shown = Object.keys(members).map((element) => [element, xml[element]]);
  return Object.fromEntries([...shown, ['role-id', xml['role-id']]]);
}

/** X4 and A4: what one surface stores the other shows, and both refuse the same. */
export function roundTrip(app: () => TestApp, { creations, changes }: { creations: number; changes: number }): void {
  const seed = readSeed();

  async function surfaces() {
    const [xml, json] = [await calling(app()), await managing(app())];
    const view = async (id: number) =>
      agreed(await xml.done(200, 'GET', `/users/${id}.xml`), await json.done(200, 'GET', `/users/${id}`));
    return { xml, json, view };
  }

  /** Sends to both, which must accept both or refuse both; null when they refused. */
  function sameVerdict(sent: Given, byXml: Answer, byJson: Answer): { xml: number; json: number } | null {
    const told = `${JSON.stringify(sent)}\n${byXml.text}\n${byJson.text}`;
    for (const { status } of [byXml, byJson]) assert.ok([200, 201, 400, 422].includes(status), told);
    assert.equal(byXml.status < 300, byJson.status < 300, `the verdicts differ: ${told}`);
    if (byXml.status >= 300) return null;
    return { xml: (readXmlAnswer(byXml.text) as { id: number }).id, json: byJson.body.id };
  }

  function report(t: TestContext, stored: number, all: number): void {
    t.diagnostic(`${stored} of ${all} were stored, PROPERTY_SEED=${seed}`);
    assert.ok(stored > all / 5, `only ${stored} were stored`);
  }

  it(`creating: ${creations} users of all Unicode classes, by both surfaces, read by both`, async (t) => {
    const { xml, json, view } = await surfaces();
    let stored = 0;
    const named = fc
      .tuple(fc.emailAddress({ size: '-1' }), given)
      .map(([address, some]) => ({ email: address, ...some }));
    const property = fc.asyncProperty(named, async (sent) => {
      const byXml = await xml.call('POST', '/users.xml', userXml(sent));
      const first = byXml.status === 201 ? await view((readXmlAnswer(byXml.text) as { id: number }).id) : null;
      if (first) await xml.done(200, 'DELETE', `/users/${(readXmlAnswer(byXml.text) as { id: number }).id}.xml`);
      const byJson = await json.call('POST', '/users', asJson(sent));
      const made = sameVerdict(sent, byXml, byJson);
      if (!made) return;
      stored += 1;
      assert.deepEqual(await view(made.json), first);
      await json.done(204, 'DELETE', `/users/${made.json}`);
    });
    await fc.assert(property, { seed, numRuns: creations });
    report(t, stored, creations);
  });

  it(`changing: ${changes} changes of a user, by both surfaces, read by both`, async (t) => {
    const { xml, json, view } = await surfaces();
    const { services, account } = app();
    const roles = [0, 1, 2].map(() => createRole(services, account, { name: unique('role') }));
    // Roles that a user gets at the same time are in the order of their ids.
    const roleIds = (await Promise.all(roles)).map(({ id }) => id).toSorted((one, other) => one - other);
    let stored = 0;
    const role = fc.option(fc.constantFrom(...roleIds, 0, 2_147_483_000), { freq: 3 });
    const property = fc.asyncProperty(given, role, fc.boolean(), async (sent, roleId, setsRole) => {
      // A user has one of the two names at least; the other one may come and go.
      const before = { email: `${unique('before')}@example.com`, role_ids: roleIds.slice(0, 2) };
      const { id: one } = await json.done(201, 'POST', '/users', before);
      const byXml = await xml.call(
        'PUT',
        `/users/${one}.xml`,
        userXml({ ...sent, ...(setsRole && { 'role-id': roleId }) }),
      );
      const first = await view(one);
      await xml.done(200, 'DELETE', `/users/${one}.xml`);
      const { id: two } = await json.done(201, 'POST', '/users', before);
      const [, kept = 0] = roleIds;
      const wanted = roleId ? [roleId, ...(roleId === kept ? [] : [kept])] : [kept];
      const byJson = await json.call('PUT', `/users/${two}`, {
        ...asJson(sent),
        ...(setsRole && { role_ids: wanted }),
      });
      const verdict = sameVerdict(sent, byXml, byJson);
      const { 'role-id': shown, ...second } = await view(two);
      const { 'role-id': written, ...rest } = first;
      assert.deepEqual(second, rest);
      if (verdict) stored += 1;
      if (verdict && setsRole) assert.equal(written, roleId || kept, 'the role is not the one that was written');
      else assert.equal(written, shown);
      await json.done(204, 'DELETE', `/users/${two}`);
    });
    await fc.assert(property, { seed, numRuns: changes });
    report(t, stored, changes);
  });
}

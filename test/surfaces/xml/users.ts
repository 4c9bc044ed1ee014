import assert from 'node:assert/strict';
import { it } from 'node:test';
import { createRole } from '../../../src/domain/roles/write-role.ts';
import { createUser } from '../../../src/domain/users/write-user.ts';
import { assertRolesTold } from '../../domain/audit/told.ts';
import { newClient, newGrant, unique } from '../../store/samples.ts';
import type { TestApp } from '../../support/app.ts';
import { sampledDatabases } from '../../support/sample.ts';
import type { DatabaseKind } from '../../support/stores.ts';
import { readXmlAnswer } from '../../support/xml-answer.ts';
import { managing } from '../api-2/managing.ts';
import { assertRefused, calling, userXml, type XmlUser } from './calling.ts';

const address = () => `${unique('user')}@example.com`;

/** What the operations do, beyond the transcripts. */
export function users(app: () => TestApp, kind: DatabaseKind): void {
  it('a whole user can be sent back: read-only members are accepted and ignored', async () => {
    using _ = app().services.clock.hold();
    const { call, done } = await calling(app());
    const { id } = await done(201, 'POST', '/users.xml', userXml({ email: address(), firstname: 'Ada', notes: 'x' }));
    const before = await call('GET', `/users/${id}.xml`);
    assert.equal((await call('PUT', `/users/${id}.xml`, before.text)).text, before.text);
    const noise = `<user type="user"><id>2147483000</id><created-at type="datetime">never</created-at><updated-at><x/></updated-at>
      <status>2</status><user-type>5</user-type><invalid-login-attempts>9</invalid-login-attempts><last-login nil="true">x</last-login>
      <activated-at/><invitation-sent-at a="b"/><locked-until>1</locked-until><password-changed-at>2</password-changed-at></user>`;
    assert.equal((await call('PUT', `/users/${id}.xml`, noise)).text, before.text);
    const made = await done(201, 'POST', '/users.xml', noise.replace('<id>', `<email>${address()}</email><id>`));
    assert.notEqual(made.id, 2_147_483_000);
    assert.deepEqual([made.status, made['user-type'], made['activated-at']], [0, 0, null]);
  });

  it('X3: changes only what is sent', async () => {
    const { call, done } = await calling(app());
    const { id } = await done(
      201,
      'POST',
      '/users.xml',
      userXml({ email: address(), firstname: 'Ada', 'openid-name': unique('ada') }),
    );
    const read = () => done(200, 'GET', `/users/${id}.xml`);
    const before = await read();
    const refused: readonly (readonly [string, number, RegExp])[] = [
      ['<user><email>admin@x.com<!-- -->.evil.com</email></user>', 400, /comment/],
      ['<user><email>a@x.com</email><email>b@x.com</email></user>', 400, /email must not be repeated/],
      ['<user><email>a<![CDATA[@x.com]]></email></user>', 400, /pieces/],
      ['<user><role-id><![CDATA[1</role-id><role-id>2]]></role-id></user>', 422, /role-id must be an integer/],
      ['<user/><user><firstname>Eve</firstname></user>', 400, /follows the root/],
      ['<user><firstname>Eve</firstname></user>x', 400, /follows the root/],
      ['<user xmlns="urn:x"><firstname>Eve</firstname></user>', 400, /namespaces/],
      ['<x:user><firstname>Eve</firstname></x:user>', 400, /prefixes/],
      ['<user><__proto__><firstname>Eve</firstname></__proto__></user>', 422, /unknown element in user: __proto__/],
      ['<user><constructor><prototype/></constructor></user>', 422, /unknown element in user: constructor/],
      ['<users><user><firstname>Eve</firstname></user></users>', 422, /the root element must be user/],
      ['<user><user><firstname>Eve</firstname></user></user>', 422, /unknown element in user: user/],
      ['<user><firstname>Eve</firstname><is-admin>true</is-admin></user>', 422, /unknown element in user: is-admin/],
      [
        '<user><firstname>Eve</firstname><password>a new long one</password></user>',
        422,
        /unknown element in user: password/,
      ],
      ['<user><firstname>Eve</firstname><group-id>seven</group-id></user>', 422, /group-id must be an integer/],
      ['<user><firstname>Eve</firstname><group-id>-1</group-id></user>', 422, /group-id must be at least 0/],
      ['<user><firstname>Eve</firstname><phone> 1</phone></user>', 422, /phone starts or ends with white space/],
      ['<user><firstname>Eve</firstname><notes>a&#9;b</notes></user>', 422, /notes contains a character/],
      ['<user><firstname>Eve</firstname><openid-name>a@b</openid-name></user>', 422, /openid-name with an @/],
      ['<user><firstname>Eve</firstname><email>x</email></user>', 422, /email must be an address/],
      ['<user><firstname>Eve</firstname><role-id>2147483000</role-id></user>', 422, /unknown role in role-id/],
      [`<user><firstname>Eve</firstname><lastname>${'x'.repeat(256)}</lastname></user>`, 422, /lastname/],
      ['<user><email nil="true"/><openid-name nil="true"/></user>', 422, /a user needs an email or an openid-name/],
    ];
    for (const [document, status, words] of refused) {
      assertRefused(await call('PUT', `/users/${id}.xml`, document), status, words, document);
      if (/password/.test(document)) continue;
      // One without a name is refused for that first.
      assertRefused(await call('POST', '/users.xml', document), status, /./, document);
    }
    assert.deepEqual(await read(), before);
  });

  it('a value already in use gives the message that old clients expect', async () => {
    const { call, done } = await calling(app());
    const [email, name] = [address(), unique('name')];
    await done(201, 'POST', '/users.xml', userXml({ email, 'openid-name': name }));
    const taken = async (elements: Readonly<Record<string, string>>, words: RegExp) =>
      assertRefused(await call('POST', '/users.xml', userXml(elements)), 422, words);
    await taken({ email: email.toUpperCase() }, /^Email has already been taken$/);
    await taken({ 'openid-name': name.toUpperCase() }, /^Openid name has already been taken$/);
  });

  it('role-id is the role that was assigned first; a new value replaces it, other roles stay', async () => {
    const { services, account } = app();
    const { done, call } = await calling(app());
    const json = await managing(app());
    const ids: number[] = [];
    for (let at = 0; at < 4; at += 1) ids.push((await createRole(services, account, { name: unique('role') })).id);
    const [a = 0, b = 0, c = 0, d = 0] = ids;
    const { id } = await done(201, 'POST', '/users.xml', userXml({ email: address(), 'role-id': a }));
    const rolesOf = async () => (await json.done(200, 'GET', `/users/${id}`)).role_ids;
    const write = async (roleId: number | null, assigned: 0 | 1, withdrawn: 0 | 1) => {
      let answer: XmlUser | undefined;
      const change = async () => {
        answer = await done(200, 'PUT', `/users/${id}.xml`, userXml({ 'role-id': roleId }));
      };
      await assertRolesTold(app(), change, { assigned, withdrawn });
      return answer?.['role-id'];
    };
    assert.deepEqual(await rolesOf(), [a]);
    services.clock.advance(1000);
    await json.done(200, 'PUT', `/users/${id}`, { role_ids: [a, b, c] });
    assert.deepEqual([await write(d, 1, 1), await rolesOf()], [d, [d, b, c]]);
    // One that the user has already, assigned together with another of a lower number.
    assert.deepEqual([await write(c, 0, 1), await rolesOf()], [c, [c, b]]);
    assert.deepEqual([await write(c, 0, 0), await rolesOf()], [c, [c, b]]);
    assert.deepEqual([await write(null, 0, 1), await rolesOf()], [b, [b]]);
    assert.deepEqual([await write(0, 0, 1), await rolesOf()], [null, []]);
    assert.deepEqual([await write(null, 0, 0), await rolesOf()], [null, []]);
    assert.deepEqual([await write(d, 1, 0), await rolesOf()], [d, [d]]);
    const other = await createRole(services, (await app().another()).account, { name: unique('role') });
    assertRefused(
      await call('PUT', `/users/${id}.xml`, userXml({ 'role-id': other.id })),
      422,
      /unknown role in role-id/,
    );
  });

  it('losing a role ends its grants', async () => {
    const { services, account } = app();
    const { done } = await calling(app());
    const [role, next] = [
      await createRole(services, account, { name: unique('role') }),
      await createRole(services, account, { name: unique('role') }),
    ];
    const { id } = await done(201, 'POST', '/users.xml', userXml({ email: address(), 'role-id': role.id }));
    const { appId } = await newClient(services.store, account.id);
    await services.store.access.grant(account.id, appId, { roleId: role.id }, 0);
    const grant = await newGrant(services.store, { accountId: account.id, userId: id, appId });
    const isOpen = async () => (await services.store.grants.find(account.id, grant.id))?.revokedAt === null;
    await done(200, 'PUT', `/users/${id}.xml`, userXml({ 'role-id': role.id, firstname: 'Ada' }));
    assert.equal(await isOpen(), true);
    await done(200, 'PUT', `/users/${id}.xml`, userXml({ 'role-id': next.id }));
    assert.equal(await isOpen(), false);
    await done(200, 'DELETE', `/users/${id}.xml`);
    assert.equal(await services.store.grants.find(account.id, grant.id), null);
  });

  it('a password on creation activates the user and must follow the policy', async () => {
    const { call, done } = await calling(app());
    const made = await done(
      201,
      'POST',
      '/users.xml',
      userXml({ email: address(), password: 'a long & secret <one>' }),
    );
    assert.equal(made.status, 1);
    assert.ok(made['activated-at'] && made['password-changed-at']);
    assertRefused(
      await call('POST', '/users.xml', userXml({ email: address(), password: 'short' })),
      422,
      /^password must have/,
    );
    for (const password of ['', null]) {
      assert.equal((await done(201, 'POST', '/users.xml', userXml({ email: address(), password }))).status, 0);
    }
  });

  it('lists all users by id, or one page on request', async () => {
    const own = await app().another();
    const { call, done } = await calling(own);
    const ids: number[] = [];
    for (let at = 0; at < 5; at += 1)
      ids.push((await done(201, 'POST', '/users.xml', userXml({ email: address() }))).id);
    const list = async (query: string) => (await done(200, 'GET', `/users.xml${query}`)).map(({ id }: XmlUser) => id);
    const [first = 0, second = 0, third = 0] = ids;
    assert.deepEqual(await list(''), ids);
    assert.deepEqual(await list('?limit=2'), [first, second]);
    assert.deepEqual(await list(`?from_id=${second}&limit=2`), [second, third]);
    assert.deepEqual(await list(`?from_id=${third}`), ids.slice(2));
    assert.deepEqual(await list('?from_id=2147483647'), []);
    assert.deepEqual(await list('?from_id=0&limit=1000'), ids);
    assert.deepEqual(await list('?unknown=1'), ids);
    for (const query of [
      'limit=0',
      'limit=1001',
      'limit=x',
      'from_id=-1',
      'from_id=2147483648',
      'from_id=1&from_id=2',
    ]) {
      assertRefused(await call('GET', `/users.xml?${query}`), 400, /limit|from_id/, query);
    }
  });

  // Each user is a transaction: on PostgreSQL that is for the drill M5.
  const isAsked = sampledDatabases.includes(kind);
  if (isAsked)
    it('a long list is complete too, and the trail records its length', async () => {
      const own = await app().another();
      const { call, done, keyId } = await calling(own);
      const ids: number[] = [];
      while (ids.length < 450) {
        const input = { email: address(), validatePolicy: true, authority: 'all' } as const;
        ids.push((await createUser(own.services, own.account, input)).id);
      }
      const { text, headers } = await call('GET', '/users.xml');
      assert.deepEqual([headers['content-length'], headers['transfer-encoding']], [undefined, 'chunked']);
      assert.deepEqual(
        (readXmlAnswer(text) as XmlUser[]).map(({ id }) => id),
        ids,
      );
      const page: XmlUser[] = await done(200, 'GET', '/users.xml?limit=430');
      assert.deepEqual(
        page.map(({ id }) => id),
        ids.slice(0, 430),
      );
      const { body } = await (await managing(own)).call('GET', `/events?actor=API:${keyId}`);
      assert.deepEqual(
        body.map(({ action, detail }: { action: string; detail: unknown }) => [action, detail]),
        [
          ['user.listed', { count: 430 }],
          ['user.listed', { count: 450 }],
        ],
      );
    });

  it('answers 404 for an impossible id and for an unknown path', async () => {
    const { call } = await calling(app());
    for (const path of [
      '/users/0.xml',
      '/users/x.xml',
      '/users/-1.xml',
      '/users/2147483648.xml',
      '/users/1',
      '/users',
      '/users/1.xml/x',
    ]) {
      assertRefused(await call('GET', path), 404, /Not found/, path);
    }
    const answer = await call('PATCH', '/users.xml');
    assertRefused(answer, 405);
    for (const method of ['GET', 'DELETE'])
      assertRefused(await call(method, '/users/1.xml?a=1&a=2'), 400, /a is given twice/);
    assert.equal(answer.headers['allow'], 'GET, POST');
  });
}

import assert from 'node:assert/strict';
import { after, before, it, mock } from 'node:test';
import { revokeApiKey } from '../../../src/domain/callers/api-keys.ts';
import { assertTold } from '../../domain/audit/told.ts';
import type { TestApp } from '../../support/app.ts';
import type { Answer } from '../../support/conforms.ts';
import { pathOfLink } from '../../support/invites.ts';
import { apiHost, assertDeprecated, hostsOf, newApiKey, sendLines } from '../../support/legacy.ts';
import { type RawServer, startRaw } from '../../support/raw-http.ts';
import { makeUser } from '../../support/sign-in.ts';
import { setUser } from '../../support/users.ts';

const path = '/api/v3/invites/get_invite_link';
const wrongKey =
  '<error><message>API key is invalid or missing</message><code>invalid_or_missing_api_key</code></error>';
const noUser = '{"status":{"type":"bad request","message":"No User exists for input email","error":true,"code":400}}';
const noEmail = '{"status":{"type":"bad request","message":"Email Parameter is missing","error":true,"code":400}}';
const unknownKey = `ak_${'A'.repeat(43)}`;

/** The document's §2.6, §4.6 and §7, byte for byte. */
export function makeInviteLink(app: () => TestApp): void {
  let server: RawServer;
  let key: string;
  before(async () => {
    server = await startRaw(app().app);
    key = (await newApiKey(app())).key;
  });
  after(() => server.close());

  const post = (host: string, body: string, type = 'application/json'): Promise<Answer> =>
    sendLines(
      server,
      [`POST ${path} HTTP/1.1`, `Host: ${host}`, `Content-Type: ${type}`, `Content-Length: ${Buffer.byteLength(body)}`],
      body,
    );

  it('§2.6: returns the link, on the account host and on the hosts of the deprecated surfaces', async () => {
    const { email } = await makeUser(app());
    for (const host of hostsOf(app())) {
      const answer = await post(host, JSON.stringify({ api_key: key, email: email?.toUpperCase() }));
      assert.equal(answer.status, 200);
      assert.equal(answer.headers['content-type'], 'application/json; charset=utf-8');
      const [link] = answer.body.data;
      pathOfLink(app(), link);
      const status = '{"type":"success","message":"Success","error":false,"code":200}';
      assert.equal(answer.text, `{"status":${status},"data":["${link}"]}`);
      assertDeprecated(answer, `${app().account.baseUrl}/api/1/invites/get_invite_link`);
    }
  });

  it('§7: each error, on every host', async () => {
    const { email } = await makeUser(app());
    const rows: [body: unknown, type: string, text: string][] = [
      [{ email }, 'application/xml', wrongKey],
      [{ api_key: unknownKey, email }, 'application/xml', wrongKey],
      [{ api_key: '', email }, 'application/xml', wrongKey],
      [{ api_key: 7, email }, 'application/xml', wrongKey],
      [{ api_key: null, email }, 'application/xml', wrongKey],
      [{ api_key: [key], email }, 'application/xml', wrongKey],
      [{}, 'application/xml', wrongKey],
      [[], 'application/xml', wrongKey],
      [{ api_key: key, email: 'nobody@example.com' }, 'application/json; charset=utf-8', noUser],
      [{ api_key: key, email: 'no address' }, 'application/json; charset=utf-8', noUser],
      [{ api_key: key }, 'application/json; charset=utf-8', noEmail],
      [{ api_key: key, email: '' }, 'application/json; charset=utf-8', noEmail],
    ];
    for (const host of hostsOf(app())) {
      for (const [body, type, text] of rows) {
        const answer = await post(host, JSON.stringify(body));
        const where = `${JSON.stringify(body)} on ${host}`;
        assert.deepEqual([answer.status, answer.headers['content-type'], answer.text], [400, type, text], where);
        assert.equal(answer.headers['cache-control'], 'no-store');
        assert.match(String(answer.headers['deprecation']), /^@\d+$/);
      }
    }
  });

  it('answers unreadable requests in its own form', async () => {
    const rows: [body: string, type: string, status: number][] = [
      ['{"api_key":', 'application/json', 400],
      [JSON.stringify({ api_key: key, email: 7 }), 'application/json', 400],
      ['x=1', 'application/x-www-form-urlencoded', 415],
      [JSON.stringify({ x: 'a'.repeat(70_000) }), 'application/json', 413],
    ];
    for (const [body, type, status] of rows) {
      const answer = await post(apiHost, body, type);
      assert.deepEqual([answer.status, answer.body.status.code, answer.body.status.error], [status, status, true]);
    }
    assert.equal((await app().send('GET', path)).status, 405);
    assert.equal((await app().send('POST', '/api/v3/invites/else')).status, 404);
  });

  it("treats another account's key and users as missing", async () => {
    const other = await app().another();
    const { email } = await makeUser(other);
    const { key: otherKey } = await newApiKey(other);
    const { host } = new URL(app().account.baseUrl);
    assert.equal((await post(host, JSON.stringify({ api_key: otherKey, email }))).text, wrongKey);
    assert.equal((await post(apiHost, JSON.stringify({ api_key: key, email }))).text, noUser);
  });

  it("L5: reveals nothing about a user's status", async () => {
    const one = await app().another();
    const { services, account } = one;
    const { key } = await newApiKey(one);
    const people = {
      active: await makeUser(one),
      unactivated: await makeUser(one, undefined, { password: undefined }),
      locked: await makeUser(one),
      suspended: await makeUser(one),
    };
    await setUser(services, account, people.locked.id, { status: 'locked' });
    await setUser(services, account, people.suspended.id, { status: 'suspended' });
    const shapes: { readonly status: number; readonly headers: object; readonly text: string }[] = [];
    for (const { email } of Object.values(people)) {
      const { status, headers, text } = await post(apiHost, JSON.stringify({ api_key: key, email }));
      const { 'x-request-id': _id, date: _date, 'x-ratelimit-remaining': _left, ...rest } = headers;
      shapes.push({ status, headers: rest, text: text.replace(/il_[\w-]{43}/, 'TOKEN') });
    }
    for (const shape of shapes) assert.deepEqual(shape, shapes[0]);
    assert.equal(shapes[0]?.status, 200);
  });

  it('a call that waits is refused when its key is deleted meanwhile', async () => {
    const one = await app().another();
    const { services, account } = one;
    const { id, key } = await newApiKey(one);
    const user = await makeUser(one);
    const { transaction } = services.store;
    const { mock: waiting } = mock.method(
      services.store,
      'transaction',
      async (work: Parameters<typeof transaction>[0]) => {
        waiting.restore();
        await revokeApiKey(services, account, id);
        return transaction(work);
      },
    );
    const answer = await post(apiHost, JSON.stringify({ api_key: key, email: user.email }));
    assert.deepEqual([answer.status, answer.text], [400, wrongKey]);
    assert.equal((await services.store.users.findDetailed(account.id, user.id))?.invitationSentAt, null);
  });

  it('is recorded with the actor API, and counted', async () => {
    using _ = app().services.clock.hold();
    const one = await app().another();
    const { services, account } = one;
    const { id, key } = await newApiKey(one);
    const user = await makeUser(one);
    const call = () => post(apiHost, JSON.stringify({ api_key: key, email: user.email }));
    const events = await assertTold(one, call, [['invite.created', `API ${id}`, `user ${user.id}`, {}]]);
    // A hash may have these characters by chance.
    assert.ok(!JSON.stringify(events.map((event) => ({ ...event, hash: '' }))).includes('il_'));
    const detailed = await services.store.users.findDetailed(account.id, user.id);
    assert.equal(detailed?.invitationSentAt, services.clock.now());
    await services.counts.flush();
    const [count] = await services.store.counts.list(account.id, '');
    assert.deepEqual([count?.kind, count?.subjectId, count?.count], ['call.makeInviteLink', id, 1]);
  });

  it('has its own limit, switch, and rehearsal', async () => {
    const one = await app().another({ 'limit.invite': '1/h', 'sunset.api-v3': '2027-06-30' });
    const { key } = await newApiKey(one);
    const body = JSON.stringify({ api_key: key, email: 'nobody@example.com' });
    const first = await post(apiHost, body);
    assert.deepEqual([first.status, first.headers['sunset']], [400, 'Wed, 30 Jun 2027 00:00:00 GMT']);
    const answer = await post(apiHost, body);
    assert.deepEqual([answer.status, answer.body.status.type], [429, 'rate limit exceeded']);
    assert.match(String(answer.headers['retry-after']), /^[1-9]\d*$/);
    const off = await app().another({ 'surface.api-v3': 'off', 'limit.invite': 'off' });
    const { key: offKey } = await newApiKey(off);
    const { host } = new URL(off.account.baseUrl);
    const given = JSON.stringify({ api_key: offKey, email: 'nobody@example.com' });
    const requests = [
      post(apiHost, given),
      post(host, given),
      post(host, '{}'),
      post(host, '{'),
      post(host, '', 'x/y'),
    ];
    for (const refused of await Promise.all(requests)) {
      assert.equal(refused.status, 404);
      assert.equal(refused.text, '{"status":{"type":"not found","message":"Not found","error":true,"code":404}}');
    }
  });
}

import assert from 'node:assert/strict';
import { before, it } from 'node:test';
import {
  certifiedStatement,
  emptyStatement,
  givePasskey,
  type Lies,
  passkeyOptionsOf,
  showPasskey,
} from '../../support/passkeys.ts';
import { titlesTo } from '../../support/resets.ts';
import { countRows } from '../../support/rows.ts';
import { type AppOf, heading, isConsent, unlimited } from './browsing.ts';
import { assertPage } from './headers.ts';
import { makeCredential, namesOf, path, type SignedIn, signInToPasskeys } from './passkeys-page.ts';

const minute = 60_000;

/** The page on which users see and change their own passkeys (WebAuthn Level 3 §7.1, L2). */
export function passkeys(app: AppOf): void {
  const told = async (after: number) =>
    (await app().services.store.events.listAfter(app().account.id, after, 100)).map(
      ({ action, actorId, targetId, detail }) => `${action} ${actorId} ${targetId} ${detail}`,
    );
  const tell = async () => (await app().services.store.events.findEnd(app().account.id)).lastId;

  let settled: SignedIn;
  before(async () => {
    settled = await signInToPasskeys(app());
  });

  it('lists none at first, and asks the browser for a discoverable one', async () => {
    const page = await settled.look();
    assert.deepEqual([page.status, heading(page)], [200, 'Your passkeys']);
    assertPage(page);
    assert.match(page.text, /You have no passkey yet/);
    assert.match(page.text, /<form [^>]*data-passkey="create"[^>]* hidden>/);
    const { challenge, user, rp, ...options } = passkeyOptionsOf(page.text) as unknown as Record<string, unknown>;
    assert.ok(challenge);
    assert.deepEqual(rp, { id: new URL(app().account.baseUrl).hostname, name: app().account.name });
    assert.deepEqual(
      { ...(user as object), id: '' },
      { id: '', name: settled.user.email, displayName: 'Ada Lovelace' },
    );
    const { authenticatorSelection: selection, attestation, excludeCredentials } = options;
    assert.deepEqual([attestation, excludeCredentials], ['none', []]);
    assert.deepEqual(selection, { residentKey: 'required', userVerification: 'required', requireResidentKey: true });
  });

  it('adds one that signs in, renames it, removes it; then it no longer signs in', async () => {
    const signedIn = await signInToPasskeys(app());
    const { id } = signedIn.user;
    const start = await tell();
    const { passkey, credential } = await makeCredential(signedIn);
    const added = await signedIn.post({ credential, name: ' My laptop ' });
    assert.deepEqual([added.status, added.headers['location']], [303, `${path}?done=passkey_added`]);
    const page = await signedIn.look();
    assert.deepEqual(namesOf(page), ['My laptop']);
    assert.match(page.text, /never used\. On one device only\./);
    assert.deepEqual(
      (passkeyOptionsOf(page.text).excludeCredentials ?? []).map((one) => one.id),
      [passkey.credentialId],
    );
    const [stored] = await app().services.store.passkeys.list(app().account.id, id);
    assert.deepEqual(stored?.passkey.transports, ['internal']);
    const at = await signedIn.setting.begin();
    assert.ok(isConsent((await showPasskey(app(), at, passkey.get(passkeyOptionsOf(at.answer.text)))).answer));
    assert.match((await signedIn.look()).text, /last used <time/);

    const deviceId = `${stored?.device.id}`;
    const change = `${path}/change`;
    const renamed = await signedIn.post({ passkey: deviceId, name: 'Old <laptop>', change: 'rename' }, change);
    assert.deepEqual([renamed.status, renamed.headers['location']], [303, `${path}?done=passkey_renamed`]);
    assert.deepEqual(namesOf(await signedIn.look()), ['Old &lt;laptop&gt;']);
    assert.equal((await signedIn.post({ passkey: deviceId, change: 'remove' }, change)).status, 303);
    assert.deepEqual(namesOf(await signedIn.look()), []);
    const gone = await signedIn.setting.begin();
    const refused = await showPasskey(app(), gone, passkey.get(passkeyOptionsOf(gone.answer.text)));
    assert.equal(refused.answer.status, 401);
    for (const again of [
      { passkey: deviceId, change: 'remove' },
      { passkey: deviceId, name: 'Gone', change: 'rename' },
    ]) {
      const none = await signedIn.post(again, change);
      assert.deepEqual([none.status, none.headers['location']], [303, path], 'nothing was done');
    }
    const own = (await told(start)).filter((event) => /^mfa\.(enrolled|renamed|removed) /.test(event));
    assert.deepEqual(own, [
      `mfa.enrolled ${id} ${id} {"device_id":${deviceId},"factor_id":2}`,
      `mfa.renamed ${id} ${id} {"device_id":${deviceId}}`,
      `mfa.removed ${id} ${id} {"device_id":${deviceId}}`,
    ]);
    assert.deepEqual(await titlesTo(app(), signedIn.user.email), ['A passkey was added', 'A passkey was removed']);
  });

  it('the same name is no change, and changes per session are limited: additions, renames and removals', async () => {
    const one = await app().another({ ...unlimited, 'limit.authorize': '4/h' });
    const visited = await signInToPasskeys(one);
    const { credential } = await makeCredential(visited);
    await visited.post({ credential, name: 'New' });
    const [stored] = await one.services.store.passkeys.list(one.account.id, visited.user.id);
    const rename = (name: string) =>
      visited.post({ passkey: `${stored?.device.id}`, name, change: 'rename' }, `${path}/change`);
    const count = () =>
      countRows(one.url, `select 1 as one from events where account_id = ${one.account.id} and action = 'mfa.renamed'`);
    assert.equal((await rename('Laptop')).status, 303);
    assert.equal((await rename('Laptop')).status, 303);
    assert.equal(await count(), 1);
    const answers = [await rename('a'), await rename('b'), await rename('c'), await rename('d')];
    assert.deepEqual(
      answers.map(({ status }) => status),
      [303, 429, 429, 429],
    );
    assert.ok(Number(answers[3]?.headers['retry-after']) > 0);
    assert.equal(await count(), 2);
    const remove = await visited.post({ passkey: `${stored?.device.id}`, change: 'remove' }, `${path}/change`);
    assert.equal(remove.status, 429);
  });

  const lies: Readonly<Record<string, Lies>> = {
    'another origin': { origin: 'https://evil.example' },
    'another relying party': { rpId: 'evil.example' },
    'a frame of another site': { crossOrigin: true },
    'an answer to a sign-in': { type: 'webauthn.get' },
    'a user who was not verified': { userVerified: false },
    'an invented challenge': { challenge: Buffer.alloc(56, 7).toString('base64url') },
    'an attestation by a certificate, which names addresses': { attestation: ['packed', certifiedStatement] },
    'an attestation of a make': { attestation: ['apple', emptyStatement] },
    'an invalid attestation': { attestation: ['none', certifiedStatement] },
  };
  for (const [title, lie] of Object.entries(lies)) {
    it(`${title}: 422 with the page again`, async () => {
      const { credential } = await makeCredential(settled, lie);
      const refused = await settled.post({ credential, name: 'Laptop' });
      assert.equal(refused.status, 422);
      assertPage(refused);
      assert.match(refused.text, /The passkey was not added/);
      assert.deepEqual(namesOf(refused), []);
    });
  }

  it('accepts an answer once, from the session that asked, and no passkey of another user', async () => {
    using _ = app().services.clock.hold();
    const [one, other] = [await signInToPasskeys(app()), await signInToPasskeys(app())];
    const { passkey, credential } = await makeCredential(one);
    assert.equal((await other.post({ credential, name: 'Laptop' })).status, 422, "another session's");
    const sent = await Promise.all(Array.from({ length: 5 }, () => one.post({ credential, name: 'Laptop' })));
    const outcomes = sent.map(({ headers }) => headers['location'] === `${path}?done=passkey_added`);
    assert.deepEqual(outcomes.toSorted(), [false, false, false, false, true]);
    assert.deepEqual(namesOf(await one.look()), ['Laptop']);
    assert.equal((await one.post({ credential, name: 'Laptop' })).status, 422, 'once more');
    const again = passkey.create(passkeyOptionsOf((await other.look()).text));
    assert.equal((await other.post({ credential: again, name: 'Laptop' })).status, 422, "another user's");
    assert.deepEqual(namesOf(await other.look()), []);
    const { credential: late } = await makeCredential(one);
    app().services.clock.advance(10 * minute);
    assert.equal((await one.post({ credential: late, name: 'Laptop' })).status, 422, 'too late');
  });

  it('an invalid answer and an invalid name are 422; ten devices are the maximum', async () => {
    const signedIn = await signInToPasskeys(app());
    const { credential } = await makeCredential(signedIn);
    for (const text of ['', '{', 'null', '{}', '{"id":"a","response":{}}']) {
      assert.equal((await signedIn.post({ credential: text, name: 'Laptop' })).status, 422, text);
    }
    for (const name of ['', '  ', 'x'.repeat(65), 'a\u202eb']) {
      const refused = await signedIn.post({ credential, name });
      assert.equal(refused.status, 422, name);
      assert.match(refused.text, /This name cannot be used/);
    }
    assert.equal((await signedIn.post({ credential, name: 'x'.repeat(257) })).status, 400);
    assert.equal((await signedIn.post({ credential, name: '🔑'.repeat(64) })).status, 303);
    const { id } = await givePasskey(app(), signedIn.user);
    const change = { passkey: `${id}`, name: '', change: 'rename' };
    assert.equal((await signedIn.post(change, `${path}/change`)).status, 422);
    const { credential: last } = await makeCredential(signedIn);
    for (let devices = 2; devices < 10; devices += 1) await givePasskey(app(), signedIn.user);
    assert.match((await signedIn.look()).text, /You have the maximum number of devices/);
    assert.equal((await signedIn.post({ credential: last, name: 'Eleventh' })).status, 422);
  });
}

import assert from 'node:assert/strict';
import { before, it } from 'node:test';
import { removeDevice } from '../../../src/domain/second-factor/devices.ts';
import type { UserRecord } from '../../../src/store/users.ts';
import type { TestApp } from '../../support/app.ts';
import type { Answer } from '../../support/conforms.ts';
import {
  asksForPasskey,
  certifiedStatement,
  emptyStatement,
  givePasskey,
  type Lies,
  passkeyOptionsOf,
  showPasskey,
  TestPasskey,
} from '../../support/passkeys.ts';
import { titlesTo } from '../../support/resets.ts';
import { countRows } from '../../support/rows.ts';
import { giveDevice } from '../../support/second-factor.ts';
import { CookieJar, password, readForm, submit, walk } from '../../support/sign-in.ts';
import { setUser } from '../../support/users.ts';
import { type AppOf, heading, isConsent, type Setting, settle, unlimited } from './browsing.ts';
import { assertPage } from './headers.ts';

const path = '/account/passkeys';
const minute = 60_000;

/** The page on which users see and change their own passkeys (WebAuthn Level 3 §7.1, L2). */
export function passkeys(app: AppOf): void {
  interface SignedIn {
    readonly one: TestApp;
    readonly setting: Setting;
    readonly user: UserRecord;
    readonly jar: CookieJar;
    /** The page as it is now. */
    look(): Promise<Answer>;
    /** Sends a form of the page, with its token unless another is given. */
    post(form: Record<string, string>, to?: string): Promise<Answer>;
  }

  async function signIn(one: TestApp = app()): Promise<SignedIn> {
    const setting = await settle(one);
    const { jar, answer } = await setting.signIn();
    assert.ok(isConsent(answer));
    const look = () => one.send('GET', path, { headers: jar.header });
    const tokenOf = ({ text }: Answer) => readForm(text).fields['csrf'] ?? '';
    let csrf = tokenOf(await look());
    const post = async (form: Record<string, string>, to = path) => {
      const answer = await one.send('POST', to, { headers: jar.header, form: { csrf, ...form } });
      const isRaised = answer.headers['location'] === `${path}?done=passkey_added`;
      if (isRaised) {
        jar.keep(answer);
        csrf = tokenOf(await look());
      }
      return answer;
    };
    return { one, setting, user: setting.user, jar, look, post };
  }

  /** What an authenticator makes for the page. */
  async function make({ one, look }: SignedIn, lies?: Lies) {
    const passkey = new TestPasskey(one.account.baseUrl);
    return { passkey, credential: passkey.create(passkeyOptionsOf((await look()).text), lies) };
  }

  /** A passkey that was added on the page: the session is worth it. */
  async function addOne(signedIn: SignedIn) {
    const { passkey, credential } = await make(signedIn);
    assert.equal((await signedIn.post({ credential, name: 'Laptop' })).status, 303);
    const [stored] = await app().services.store.passkeys.list(signedIn.one.account.id, signedIn.user.id);
    return { passkey, id: stored?.device.id };
  }

  const namesOf = ({ text }: Answer) =>
    [...text.matchAll(/<li>\s*<p><bdi[^>]*>([^<]*)<\/bdi>/g)].map(([, name]) => name);
  const told = async (after: number) =>
    (await app().services.store.events.listAfter(app().account.id, after, 100)).map(
      ({ action, actorId, targetId, detail }) => `${action} ${actorId} ${targetId} ${detail}`,
    );
  const tell = async () => (await app().services.store.events.findEnd(app().account.id)).lastId;

  let settled: SignedIn;
  before(async () => {
    settled = await signIn();
  });

  it('lists none at first, and asks the browser for one that is found without a name', async () => {
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

  it('adds one that signs in; renames it; removes it, and it signs in no more', async () => {
    const signedIn = await signIn();
    const { id } = signedIn.user;
    const start = await tell();
    const { passkey, credential } = await make(signedIn);
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

  it('the same name is no change, and changes by one session are limited: its additions, names and removals', async () => {
    const one = await app().another({ ...unlimited, 'limit.authorize': '4/min' });
    const visited = await signIn(one);
    const { credential } = await make(visited);
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
    'a challenge that was made up': { challenge: Buffer.alloc(56, 7).toString('base64url') },
    'an attestation by a certificate, which names addresses': { attestation: ['packed', certifiedStatement] },
    'an attestation of a make': { attestation: ['apple', emptyStatement] },
    'an invalid attestation': { attestation: ['none', certifiedStatement] },
  };
  for (const [title, lie] of Object.entries(lies)) {
    it(`${title}: 422 with the page again`, async () => {
      const { credential } = await make(settled, lie);
      const refused = await settled.post({ credential, name: 'Laptop' });
      assert.equal(refused.status, 422);
      assertPage(refused);
      assert.match(refused.text, /The passkey was not added/);
      assert.deepEqual(namesOf(refused), []);
    });
  }

  it('takes an answer once, of the session whose page asked, and a passkey of nobody else', async () => {
    using _ = app().services.clock.hold();
    const [one, other] = [await signIn(), await signIn()];
    const { passkey, credential } = await make(one);
    assert.equal((await other.post({ credential, name: 'Laptop' })).status, 422, "another session's");
    const sent = await Promise.all(Array.from({ length: 5 }, () => one.post({ credential, name: 'Laptop' })));
    const outcomes = sent.map(({ headers }) => headers['location'] === `${path}?done=passkey_added`);
    assert.deepEqual(outcomes.toSorted(), [false, false, false, false, true]);
    assert.deepEqual(namesOf(await one.look()), ['Laptop']);
    assert.equal((await one.post({ credential, name: 'Laptop' })).status, 422, 'once more');
    const again = passkey.create(passkeyOptionsOf((await other.look()).text));
    assert.equal((await other.post({ credential: again, name: 'Laptop' })).status, 422, "another user's");
    assert.deepEqual(namesOf(await other.look()), []);
    const { credential: late } = await make(one);
    app().services.clock.advance(10 * minute);
    assert.equal((await one.post({ credential: late, name: 'Laptop' })).status, 422, 'too late');
  });

  it('an invalid answer and an invalid name are 422; ten devices are the maximum', async () => {
    const signedIn = await signIn();
    const { credential } = await make(signedIn);
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
    const { credential: last } = await make(signedIn);
    for (let devices = 2; devices < 10; devices += 1) await givePasskey(app(), signedIn.user);
    assert.match((await signedIn.look()).text, /You have the maximum number of devices/);
    assert.equal((await signedIn.post({ credential: last, name: 'Eleventh' })).status, 422);
  });

  it('is for ten minutes after a sign-in; later, and for who is not signed in, a sign-in comes first and leads back', async () => {
    using _ = app().services.clock.hold();
    const signedIn = await signIn();
    const { id, passkey } = await addOne(signedIn);
    app().services.clock.advance(5 * minute);
    const { credential } = await make(signedIn);
    app().services.clock.advance(5 * minute);
    assert.equal((await signedIn.look()).status, 200);
    app().services.clock.advance(1);
    const tries = [
      await app().send('GET', path),
      await signedIn.look(),
      await signedIn.post({ credential, name: 'Laptop' }),
      await signedIn.post({ passkey: `${id}`, change: 'remove' }, `${path}/change`),
    ];
    for (const { status, headers } of tries) {
      assert.equal(status, 303);
      assert.match(String(headers['location']), /^\/continue\?request=/);
    }
    assert.equal((await app().services.store.passkeys.list(app().account.id, signedIn.user.id)).length, 1);
    const asked = await walk(app(), signedIn.jar, path);
    const half = await submit(app(), asked, { username: signedIn.user.email ?? '', password });
    const back = await showPasskey(app(), half, passkey.get(passkeyOptionsOf(half.answer.text)));
    assert.deepEqual([heading(back.answer), namesOf(back.answer)], ['Your passkeys', ['Laptop']]);
  });

  it('the password alone does not remove one, nor enrol an app, of a user who has one', async () => {
    const signedIn = await signIn();
    await givePasskey(app(), signedIn.user);
    for (const to of [path, '/account/second-factors', '/account/second-factors/new']) {
      const jar = new CookieJar();
      const asked = await walk(app(), jar, to);
      const next = await submit(app(), asked, { username: signedIn.user.email ?? '', password });
      assert.ok(asksForPasskey(next.answer.text), to);
      assert.notEqual(heading(next.answer), 'Your passkeys');
      const refused = await app().send('GET', to, { headers: jar.header });
      assert.equal(refused.status, 303, to);
    }
    assert.equal((await signedIn.look()).status, 303, 'nor in a session of before');
  });

  it('a passkey signs in to the account pages as well', async () => {
    const { passkey } = await givePasskey(app(), settled.user);
    const asked = await walk(app(), new CookieJar(), path);
    const back = await showPasskey(app(), asked, passkey.get(passkeyOptionsOf(asked.answer.text)));
    assert.equal(heading(back.answer), 'Your passkeys');
    assert.match((await walk(app(), back.jar, '/account')).answer.text, /1 passkey</);
    assert.doesNotMatch((await walk(app(), back.jar, '/account/second-factors')).answer.text, /Laptop/);
  });

  it('who has a second factor needs a sign-in with it; who is locked meanwhile sees nothing', async () => {
    const signedIn = await signIn();
    const device = await giveDevice(app(), signedIn.user);
    assert.equal((await signedIn.look()).status, 303, 'the password alone does not make a passkey');
    await removeDevice(app().services, app().account, signedIn.user.id, device.id);
    assert.equal((await signedIn.look()).status, 200);
    await setUser(app().services, app().account, signedIn.user.id, { status: 'locked' });
    assert.equal((await signedIn.look()).status, 403);
  });

  it('forged forms change nothing; members given twice are 400; what is not a passkey of the user stays (L2)', async () => {
    const [one, other] = [await signIn(), await signIn()];
    const { id } = await addOne(one);
    const device = await giveDevice(app(), other.user);
    await removeDevice(app().services, app().account, other.user.id, device.id);
    const change = `${path}/change`;
    const { fields } = readForm((await other.look()).text);
    for (const csrf of ['', 'x', fields['csrf'] ?? '']) {
      assert.equal((await one.post({ csrf, credential: '{}', name: 'Laptop' })).status, 403);
      assert.equal((await one.post({ csrf, passkey: `${id}`, change: 'remove' }, change)).status, 403);
    }
    for (const passkey of [`${id}`, '', 'x', '-1', '0']) {
      for (const pressed of ['remove', 'rename']) {
        const sent = await other.post({ passkey, name: 'Mine', change: pressed }, change);
        assert.deepEqual([sent.status, sent.headers['location']], [303, path], passkey);
      }
    }
    for (const pressed of ['', 'delete']) {
      assert.equal((await one.post({ passkey: `${id}`, change: pressed }, change)).status, 400);
    }
    const twice: [string, string][] = [
      ['csrf', 'x'],
      ['csrf', 'y'],
    ];
    for (const to of [path, change]) {
      assert.equal((await app().send('POST', to, { headers: one.jar.header, form: twice })).status, 400);
      const large = { csrf: 'x'.repeat(20_000) };
      assert.equal((await app().send('POST', to, { headers: one.jar.header, form: large })).status, 413);
    }
    assert.deepEqual(namesOf(await one.look()), ['Laptop']);
    const there = await app().another(unlimited);
    const sent = await there.send('GET', path, { headers: one.jar.header });
    assert.equal(sent.status, 303, 'a session of another account');
  });
}

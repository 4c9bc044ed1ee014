/** Where a user lets a device in: RFC 8628 §3.3, §5.1, §5.4. */

import assert from 'node:assert/strict';
import { it } from 'node:test';
import { assertTold } from '../../domain/audit/told.ts';
import { codesOf, decideDevice, deviceMetadata, poll, typeAndSignIn, type as typeCode } from '../../support/devices.ts';
import { CookieJar, makeUser, readForm, registerClient, submit, walk } from '../../support/sign-in.ts';
import { type AppOf, heading, isConsent, isSignIn } from './browsing.ts';

export function devices(app: AppOf): void {
  const settle = async (metadata: object = {}) => {
    const client = await registerClient(app(), { ...deviceMetadata, ...metadata });
    return { client, user: await makeUser(app(), client.app_id) };
  };

  it('the page asks for the code; a code in the address is filled in, but the user must send it', async () => {
    const { client } = await settle();
    const { user_code: code, verification_uri_complete: uri } = await codesOf(app(), client);
    const empty = await walk(app(), new CookieJar(), '/device');
    assert.deepEqual([empty.answer.status, heading(empty.answer)], [200, 'Sign in on a device']);
    assert.equal(readForm(empty.answer.text).fields['user_code'], '');
    const { pathname, search } = new URL(uri);
    const filled = await walk(app(), new CookieJar(), pathname + search);
    assert.equal(readForm(filled.answer.text).fields['user_code'], code);
    assert.ok(isSignIn((await submit(app(), filled, {})).answer));
  });

  it('code, sign-in, consent naming app, user and code, and the last page; each step is recorded', async () => {
    const { client, user } = await settle();
    const codes = await codesOf(app(), client, { scope: 'openid email' });
    const at = await typeAndSignIn(app(), codes.user_code, user);
    assert.ok(isConsent(at.answer), at.answer.text);
    for (const shown of ['Living Room', codes.user_code, user.email ?? '', 'See your e-mail address']) {
      assert.ok(at.answer.text.includes(shown), shown);
    }
    assert.match(at.answer.text, /name="decision" value="allow"[\s\S]*name="decision" value="deny"/);
    assert.match(String(at.answer.headers['content-security-policy']), /form-action 'self';/);
    const about = [`user ${user.id}`, `app ${client.app_id}`] as const;
    const detail = { user_id: user.id, scope: ['openid', 'email'] };
    await assertTold(app(), async () => {
      const end = await submit(app(), at, { decision: 'allow' });
      assert.deepEqual([end.answer.status, heading(end.answer)], [200, 'Your device is signed in']);
    }, [
      ['consent.allowed', ...about, detail],
      ['device.allowed', ...about, detail],
    ]);
    assert.equal((await poll(app(), client, codes)).status, 200);
  });

  it('deny: the page says so, the device learns it, nothing is stored', async () => {
    const { client, user } = await settle();
    const codes = await codesOf(app(), client);
    const at = await typeAndSignIn(app(), codes.user_code, user);
    const about = [`user ${user.id}`, `app ${client.app_id}`, { user_id: user.id }] as const;
    await assertTold(app(), async () => {
      const end = await submit(app(), at, { decision: 'deny' });
      assert.equal(heading(end.answer), 'Your device was not signed in');
    }, [
      ['consent.denied', ...about],
      ['device.denied', ...about],
    ]);
  });

  it('lower case, spaces and dashes of all kinds do not matter', async () => {
    const { client } = await settle();
    for (const write of [
      (code: string) => code.toLowerCase(),
      (code: string) => code.replace('-', ''),
      (code: string) => ` ${code.replace('-', ' – ').toLowerCase()} `,
      (code: string) => [...code].join(' '),
    ]) {
      const { user_code: code } = await codesOf(app(), client);
      assert.ok(isSignIn((await typeCode(app(), write(code))).answer), write(code));
    }
  });

  it('a signed-in user is still asked for consent, whatever was allowed before', async () => {
    const { client, user } = await settle();
    const jar = new CookieJar();
    for (let times = 0; times < 2; times += 1) {
      const { user_code: code } = await codesOf(app(), client);
      const at = await typeAndSignIn(app(), code, user, jar);
      assert.ok(isConsent(at.answer), `round ${times}`);
      assert.equal(heading((await submit(app(), at, { decision: 'allow' })).answer), 'Your device is signed in');
    }
  });

  it('422 with the form again for a code that is unknown, expired, decided or another account’s: one answer', async () => {
    const { client, user } = await settle();
    const used = await codesOf(app(), client);
    await decideDevice(app(), used.user_code, user);
    const elsewhere = await app().another();
    const theirs = await codesOf(elsewhere, await registerClient(elsewhere, deviceMetadata));
    const old = await codesOf(app(), client);
    app().services.clock.advance(600_000);
    const pages: string[] = [];
    for (const code of ['BCDF-GHJK', used.user_code, theirs.user_code, old.user_code]) {
      const refuse = async () => {
        const { answer } = await typeCode(app(), code);
        assert.equal(answer.status, 422, code);
        pages.push(answer.text.replace(/value="[^"]*"/g, ''));
      };
      await assertTold(app(), refuse, [['device.code_refused', 'user', `account ${app().account.id}`, {}]]);
    }
    assert.equal(new Set(pages).size, 1);
    const nothing = await typeCode(app(), ' - ');
    assert.equal(nothing.answer.status, 422);
    assert.match(nothing.answer.text, /Something is missing/);
  });

  it('guesses of an address are limited, then 429 even for the right code; right ones do not count', async () => {
    const limited = await app().another({ 'limit.sign-in': '3/h' });
    const client = await registerClient(limited, deviceMetadata);
    const jar = new CookieJar();
    const form = await walk(limited, jar, '/device');
    for (let right = 0; right < 5; right += 1) {
      const { user_code: code } = await codesOf(limited, client);
      assert.ok(isSignIn((await submit(limited, form, { user_code: code })).answer));
    }
    const { user_code: code } = await codesOf(limited, client);
    const guesses = await Promise.all(
      Array.from({ length: 10 }, () => submit(limited, form, { user_code: 'BCDF-GHJK' })),
    );
    const statuses = guesses.map(({ answer }) => answer.status).sort();
    assert.deepEqual(statuses, [422, 422, 422, 429, 429, 429, 429, 429, 429, 429]);
    const { answer } = await submit(limited, form, { user_code: code });
    assert.equal(answer.status, 429);
    assert.ok(Number(answer.headers['retry-after']) > 0);
  });

  it('a form of another browser, or without its token, is refused and nothing is looked up', async () => {
    const { client } = await settle();
    const { user_code: code } = await codesOf(app(), client);
    const form = await walk(app(), new CookieJar(), '/device');
    const foreign = await walk(app(), new CookieJar(), '/device');
    const stolen = { ...readForm(form.answer.text).fields, user_code: code };
    const sent = await app().send('POST', '/device', { headers: foreign.jar.header, form: stolen });
    assert.equal(sent.status, 403);
    const bare = await app().send('POST', '/device', { headers: form.jar.header, form: { user_code: code } });
    assert.equal(bare.status, 403);
  });

  it('a user without access to the app is refused, and the device keeps waiting', async () => {
    const { client } = await settle();
    const outsider = await makeUser(app());
    const codes = await codesOf(app(), client);
    assert.equal((await typeAndSignIn(app(), codes.user_code, outsider)).answer.status, 403);
    assert.equal((await poll(app(), client, codes)).body.error, 'authorization_pending');
  });

  it('if two users have typed one code, the first one decides', async () => {
    const { client, user } = await settle();
    const second = await makeUser(app(), client.app_id);
    const codes = await codesOf(app(), client);
    const [one, other] = [
      await typeAndSignIn(app(), codes.user_code, user),
      await typeAndSignIn(app(), codes.user_code, second),
    ];
    assert.equal(heading((await submit(app(), one, { decision: 'deny' })).answer), 'Your device was not signed in');
    assert.equal((await submit(app(), other, { decision: 'allow' })).answer.status, 400);
    assert.equal((await poll(app(), client, codes)).body.error, 'access_denied');
  });

  it('repeated parameters are refused, as on every page', async () => {
    for (const path of ['/device?user_code=a&user_code=b', '/device/done?outcome=a&outcome=b']) {
      assert.equal((await app().send('GET', path)).status, 400, path);
    }
    assert.equal((await app().send('POST', '/device', { form: 'user_code=a&user_code=b' })).status, 400);
  });

  it('the last page says only what the outcome is', async () => {
    for (const [query, said] of [
      ['?outcome=allowed', 'Your device is signed in'],
      ['?outcome=denied', 'Your device was not signed in'],
      ['?outcome=<b>', 'Your device was not signed in'],
      ['', 'Your device was not signed in'],
    ] as const) {
      const { answer } = await walk(app(), new CookieJar(), `/device/done${query}`);
      assert.deepEqual([answer.status, heading(answer)], [200, said]);
    }
  });
}

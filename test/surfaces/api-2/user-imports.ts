import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { it } from 'node:test';
import { hash as hashBcrypt } from '@node-rs/bcrypt';
import { shareOf } from '../../../src/domain/fair-queue/share.ts';
import { checkPassword } from '../../../src/domain/login/check-password.ts';
import { unique } from '../../store/samples.ts';
import type { TestApp } from '../../support/app.ts';
import { assertRefused, managing, newUser } from './managing.ts';

const [password, salt] = ['pässword of old', 'n4cl é'];
const sha256 = (text: string) => createHash('sha256').update(text, 'utf8').digest('hex');

export function userImports(app: () => TestApp): void {
  for (const [algorithm, digest] of [
    ['salt+sha256', sha256(salt + password)],
    ['sha256+salt', sha256(password + salt).toUpperCase()],
  ] as const) {
    it(`${algorithm}: the password works, and the first sign-in rehashes it`, async () => {
      const api = await managing(app());
      const { services, account } = app();
      const username = unique('imported');
      const user = await newUser(api, { username, password: digest, password_algorithm: algorithm, salt });
      assert.equal(user.status, 1);
      const stored = async () => (await services.store.users.find(account.id, user.id))?.passwordDigest ?? '';
      const tries = (typed: string) => checkPassword(services, account, { username, password: typed, source: 'here' });
      const before = await stored();
      assert.match(before, /^i1:/);
      for (const wrong of [digest, password + salt, salt + password, 'other', ''])
        assert.equal(await tries(wrong), null);
      assert.equal(await stored(), before);
      assert.equal((await tries(password))?.id, user.id);
      assert.match(await stored(), /^p1:\$argon2id\$/);
      assert.equal((await tries(password))?.id, user.id);
      assert.equal(await tries('other'), null);
    });
  }

  it('bcrypt: the password works, and the first sign-in rehashes it', async () => {
    const api = await managing(app());
    const { services, account } = app();
    for (const version of ['2a', '2b', '2y'] as const) {
      const username = unique('bcrypt');
      // The three are one algorithm under the names of its implementations.
      const hash = (await hashBcrypt(password, 4)).replace('$2b$', `$${version}$`);
      const user = await newUser(api, { username, password: hash, password_algorithm: 'bcrypt', salt: 'ignored' });
      const stored = async () => (await services.store.users.find(account.id, user.id))?.passwordDigest ?? '';
      const tries = (typed: string) => checkPassword(services, account, { username, password: typed, source: 'here' });
      assert.equal(await stored(), `i1:bcrypt:${hash}`);
      for (const wrong of [hash, 'other', '']) assert.equal(await tries(wrong), null);
      assert.equal((await tries(password))?.id, user.id);
      assert.match(await stored(), /^p1:\$argon2id\$/);
      assert.equal((await tries(password))?.id, user.id);
      assert.equal(await tries('other'), null);
    }
  });

  it('bcrypt: an invalid hash, or one whose cost would delay all sign-ins, is 422', async () => {
    const api = await managing(app());
    const hash = await hashBcrypt(password, 4);
    for (const bad of [
      hash.replace('$04$', '$13$'),
      hash.replace('$04$', '$31$'),
      hash.slice(1),
      `${hash}x`,
      'x',
      sha256('x'),
    ]) {
      const members = { email: `${unique('b')}@example.com`, password: bad, password_algorithm: 'bcrypt' };
      assertRefused(await api.call('POST', '/users', members), 422, /^password must be a bcrypt hash/);
    }
  });

  it('an invalid digest or an unknown algorithm is 422', async () => {
    const api = await managing(app());
    const { id } = await newUser(api);
    for (const [members, name] of [
      [{ password, password_algorithm: 'salt+sha256' }, 'password'],
      [{ password: sha256('x'), password_algorithm: 'md5' }, 'password_algorithm'],
      [{ password: sha256('x'), password_algorithm: '__proto__' }, 'password_algorithm'],
    ] as const) {
      assertRefused(await api.call('PUT', `/users/${id}`, members), 422, new RegExp(`^${name} must`));
    }
    await api.done(200, 'PUT', `/users/${id}`, { password: sha256('x'), password_algorithm: 'sha256+salt' });
    const kept = await app().services.store.users.find(app().account.id, id);
    const { services, account } = app();
    assert.ok(await services.passwords.verify('x', kept?.passwordDigest ?? null, shareOf(account)));
  });
}

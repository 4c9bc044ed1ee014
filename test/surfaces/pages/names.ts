import assert from 'node:assert/strict';
import { it } from 'node:test';
import { Failure } from '../../../src/domain/failure.ts';
import { sampled } from '../../support/sample.ts';
import { makeUser, password, submit } from '../../support/sign-in.ts';
import { type AppOf, settle, unlimited } from './browsing.ts';

/** L8: two texts that look like one name are one identity, or one of them is refused. */
export function names(app: AppOf): void {
  it('a name works in any case and in any form that NFKC folds, and in no other', async () => {
    const one = await app().another(unlimited);
    const setting = await settle(one, {}, { email: 'Zoe.Strasse@example.com', username: 'Zoë Straße' });
    const status = async (username: string) =>
      (await submit(one, await setting.begin(), { username, password })).answer.status;
    const same = [
      'Zoe.Strasse@example.com',
      'zoe.strasse@EXAMPLE.COM',
      'ｚoe.strasse@example.com',
      'zoe.strasse＠example.com',
      'Zoë Straße',
      'ZOË STRASSE',
      'zoe\u0308 strasse',
      'Zoë\u00a0Straße',
    ];
    for (const username of sampled(same, 2)) assert.equal(await status(username), 200, username);
    const others = [
      'zoe.strasse@example.com ',
      ' zoe.strasse@example.com',
      'zoe.strasse@example.com.',
      'zoe.strasse+x@example.com',
      'zoestrasse@example.com',
      'zое.strasse@example.com',
      'zoe.strasse@exаmple.com',
      'zoe.strasse@\u200bexample.com',
      'zoe.strasse\u00ad@example.com',
      'Zoe Strasse',
      'Zoë  Straße',
      'zoë straße\u202e',
    ];
    for (const username of sampled(others, 2)) assert.equal(await status(username), 401, username);
  });

  const twins: readonly [title: string, first: object, second: object][] = [
    ['case', { email: 'twin@example.com' }, { email: 'TWIN@example.com' }],
    ['full-width letters', { username: 'twin' }, { email: 'other1@example.com', username: 'ｔｗｉｎ' }],
    [
      'composed and decomposed letters',
      { username: 'zo\u00eb' },
      { email: 'other2@example.com', username: 'zoe\u0308' },
    ],
    ['sharp s', { username: 'strasse' }, { email: 'other3@example.com', username: 'straße' }],
    [
      'a user name that is another’s address',
      { email: 'own@example.com' },
      { email: 'x@example.com', username: 'own@example.com' },
    ],
  ];
  for (const [title, first, second] of twins) {
    it(`twins by ${title} cannot both exist`, async () => {
      const one = await app().another(unlimited);
      await makeUser(one, undefined, { email: 'first@example.com', ...first });
      const isRefusal = (error: unknown) =>
        error instanceof Failure && ['conflict', 'value_invalid'].includes(error.code);
      await assert.rejects(makeUser(one, undefined, second), isRefusal);
    });
  }

  it('look-alike names are refused: mixed alphabets, invisible characters, leading or trailing spaces and dots', async () => {
    const one = await app().another(unlimited);
    for (const username of [
      'pаypal',
      'раураl',
      'ada\u200b',
      'ada\u202e',
      ' ada',
      'ada ',
      'ada.',
      '.ada',
      'a  b',
      'аса',
    ]) {
      await assert.rejects(makeUser(one, undefined, { username }), { code: 'value_invalid' }, JSON.stringify(username));
    }
    for (const email of [
      'ada@exаmple.com',
      'ada@example.com.',
      'ada @example.com',
      'ada@example..com',
      '"a b"@example.com',
    ]) {
      await assert.rejects(makeUser(one, undefined, { email }), { code: 'value_invalid' }, JSON.stringify(email));
    }
  });

  it('a password typed on two keyboards is the same, one that differs in case is not', async () => {
    const one = await app().another(unlimited);
    const setting = await settle(one, {}, { password: 'pa\u00dfwo\u0308rd ﬁne' });
    const status = async (secret: string) =>
      (await submit(one, await setting.begin(), { username: setting.user.email ?? '', password: secret })).answer
        .status;
    assert.equal(await status('pa\u00dfw\u00f6rd fine'), 200);
    assert.equal(await status('PA\u00dfW\u00d6RD FINE'), 401);
    assert.equal(await status('pa\u00dfw\u00f6rd fine '), 401);
  });
}

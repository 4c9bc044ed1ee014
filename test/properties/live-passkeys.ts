/** Live values of passkeys: an authenticator for each request, and what it answers to the page that asks. */

import { newChallenge, type Purpose } from '../../src/domain/passkeys/challenge.ts';
import { relyingPartyOf } from '../../src/domain/passkeys/relying-party.ts';
import { digestOf } from '../../src/domain/secrets.ts';
import { givePasskey, passkeyOptionsOf, TestPasskey } from '../support/passkeys.ts';
import { walk } from '../support/sign-in.ts';
import { ownForm } from './live-account.ts';
import { page } from './live-pages.ts';
import type { Pool } from './pool.ts';
import type { Plan } from './requests.ts';
import type { Taken } from './taken.ts';

/** A passkey in place of the password, or after it. Its user is not given out again, who may have no more than ten. */
export async function shownPasskey(pool: Pool, of: Purpose['of']): Promise<Taken> {
  const { services, account } = pool.app;
  const taken = await page(pool, of === 'sign-in' ? 'open' : 'code', 'body', async ({ user, requestId }) => {
    const { passkey } = await givePasskey(pool.app, user);
    const challenge = newChallenge(services, account, { of, digest: digestOf(requestId) });
    return { credential: passkey.get({ rpId: relyingPartyOf(account).id, challenge }) };
  });
  return { ...taken, user: taken.signedIn, settle: () => {} };
}

/** A new passkey, as the browser of a user makes it. */
export async function newPasskey(pool: Pool): Promise<Taken> {
  const taken = await ownForm(pool, {
    fields: async ({ jar }) => {
      const { answer } = await walk(pool.app, jar, '/account/passkeys');
      const passkey = new TestPasskey(pool.app.account.baseUrl);
      return { credential: passkey.create(passkeyOptionsOf(answer.text)), name: 'Laptop' };
    },
    endsBy: (status) => status < 400,
  });
  return { ...taken, loose: [...(taken.loose ?? []), 'name'] };
}

/** Renames or removes one; an unknown one changes nothing. */
export async function changedPasskey(pool: Pool, { pick }: Plan): Promise<Taken> {
  const change = pick % 2 === 0 ? 'rename' : 'remove';
  const taken = await ownForm(pool, {
    // The session has shown a factor, which the page takes of a user who has a passkey.
    enrolled: true,
    fields: async ({ user }) => ({ passkey: `${(await givePasskey(pool.app, user)).id}`, name: 'Phone', change }),
    endsBy: () => true,
  });
  const any = change === 'remove' ? ['passkey', 'name'] : ['passkey'];
  return {
    ...taken,
    loose: [...(taken.loose ?? []), 'passkey', 'name'],
    optional: [...(taken.optional ?? []), ...any],
  };
}

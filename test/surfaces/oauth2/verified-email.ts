import assert from 'node:assert/strict';
import { it } from 'node:test';
import { decodeJwt } from 'jose';
import { unique } from '../../store/samples.ts';
import { chosen, newInvite } from '../../support/invites.ts';
import { newLink } from '../../support/resets.ts';
import { redeem, refresh, submit, walk } from '../../support/sign-in.ts';
import { managing } from '../api-2/managing.ts';
import { type AppOf, settle } from './asking.ts';

const scope = 'openid email';

/** The claim `email_verified`: OpenID Connect Core §5.1. */
export function verifiedEmail(app: AppOf): void {
  /** A user who has chosen a password by the link, and how to see what is told of them then. */
  async function settleBy(link: (email: string | null) => Promise<string>) {
    const setting = await settle(app());
    const { user, client } = setting;
    const page = await walk(app(), setting.jar, await link(user.email));
    assert.equal((await submit(app(), page, chosen)).answer.status, 200);
    const api = await managing(app());
    const put = (members: object) => api.done(200, 'PUT', `/users/${user.id}`, members);
    let tokens = await redeem(app(), client, await setting.code({ scope }));
    /** In a new id token, userinfo, and the management API. */
    const told = async () => {
      tokens = (await refresh(app(), client, tokens.refresh_token)).body;
      const headers = { authorization: `Bearer ${tokens.access_token}` };
      const { body } = await app().send('GET', '/oauth2/userinfo', { headers });
      const { email_verified: managed } = await api.done(200, 'GET', `/users/${user.id}`);
      return [decodeJwt(tokens.id_token)['email_verified'], body.email_verified, managed];
    };
    return { ...setting, tokens, put, told };
  }

  it('is true once the user has used a link that was mailed there, until the address changes, and not again', async () => {
    const { user, put, told } = await settleBy((email) => newLink(app(), email));
    assert.deepEqual(await told(), [true, true, true]);
    await put({ firstname: 'Augusta', email: user.email, email_verified: false });
    assert.deepEqual(await told(), [true, true, true], 'neither another name nor what is read-only changes it');
    await put({ email: `${unique('new')}@example.com` });
    assert.deepEqual(await told(), [false, false, false]);
    await put({ email: user.email });
    assert.deepEqual(await told(), [false, false, false], 'of an address that was another one meanwhile');
  });

  it('is false after an invite link, which whoever asked for it has', async () => {
    const { told } = await settleBy((email) => newInvite(app(), email));
    assert.deepEqual(await told(), [false, false, false]);
  });

  it('can be requested alone, and is absent for a user without an address', async () => {
    const { client, code, user } = await settle(app());
    const claims = JSON.stringify({ id_token: { email_verified: null } });
    const told = async (parameters: Record<string, string>) =>
      decodeJwt((await redeem(app(), client, await code(parameters))).id_token);
    const alone = await told({ scope: 'openid', claims });
    assert.deepEqual([alone['email_verified'], alone['email']], [false, undefined]);
    const api = await managing(app());
    await api.done(200, 'PUT', `/users/${user.id}`, { email: null, username: unique('bare') });
    assert.ok(!('email_verified' in (await told({ scope }))));
  });
}

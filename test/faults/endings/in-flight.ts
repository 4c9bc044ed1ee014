/**
 * What can be on its way to tokens, or be tokens, when something ends: each as a client, a device or a browser has it.
 */

import { Failure } from '../../../src/domain/failure.ts';
import { addPasskey, listOwnPasskeys } from '../../../src/domain/own-account/passkeys.ts';
import { listSessions } from '../../../src/domain/own-account/sessions.ts';
import { codesOf, deviceGrant, type } from '../../support/devices.ts';
import { asksForPasskey, passkeyOptionsOf, showPasskey, TestPasskey } from '../../support/passkeys.ts';
import { giveDevice } from '../../support/second-factor.ts';
import {
  authorizePath,
  CookieJar,
  clientAuthentication,
  password,
  redirectUri,
  submit,
  walk,
} from '../../support/sign-in.ts';
import { ask, codeOf, copyOf, exchangeGrant, redeemCode, type Stage, type Tokens } from './stage.ts';

/** Makes use of what is in flight: the tokens that come of it; null when it opens nothing. */
export type Use = () => Promise<Tokens | null>;

interface Thing {
  /** Whether its app asked for `offline_access`. */
  readonly isOffline?: boolean;
  /** Puts it in flight. */
  prepare(stage: Stage): Promise<Use>;
}

const accessToken = 'urn:ietf:params:oauth:token-type:access_token';

async function firstTokens(stage: Stage): Promise<Tokens> {
  const tokens = await redeemCode(stage, stage.code);
  if (!tokens) throw new Error('the first code gave no tokens');
  return tokens;
}

function ignoreRefusal(error: unknown): void {
  if (!(error instanceof Failure)) throw error;
}

async function refreshing(stage: Stage): Promise<Use> {
  const { refresh_token = '' } = await firstTokens(stage);
  return () => ask(stage, { grant_type: 'refresh_token', refresh_token });
}

export const things = {
  code: {
    prepare: async (stage) => () => redeemCode(stage, stage.code),
  },
  'device code': {
    prepare: async (stage) => {
      const { device_code, user_code } = await codesOf(stage.app, stage.client, { scope: 'openid profile' });
      const at = await submit(stage.app, await type(stage.app, user_code, copyOf(stage.jar)), { decision: 'allow' });
      if (at.answer.status !== 200) throw new Error(`the device was not let in: ${at.answer.status}`);
      return () => ask(stage, { grant_type: deviceGrant, device_code });
    },
  },
  'pushed request': {
    prepare: async (stage) => {
      const { app, client, jar } = stage;
      const query = new URL(authorizePath(client, { scope: 'openid profile' }), redirectUri).searchParams;
      const { headers, form } = clientAuthentication(client);
      const pushed = await app.send('POST', '/oauth2/par', {
        headers,
        form: { ...Object.fromEntries(query), ...form },
      });
      const { client_id } = client;
      const path = `/oauth2/authorize?${new URLSearchParams({ client_id, request_uri: pushed.body.request_uri })}`;
      return async () => redeemCode(stage, codeOf(await walk(app, copyOf(jar), path)));
    },
  },
  'half-made sign-in': {
    prepare: async (stage) => {
      const { app, client, user, email } = stage;
      const device = await giveDevice(app, user);
      const begun = await walk(app, new CookieJar(), authorizePath(client, { scope: 'openid profile' }));
      const half = await submit(app, begun, { username: email, password });
      if (!half.answer.text.includes('name="otp"')) throw new Error('no second factor is asked for');
      return async () => {
        const at = await submit(app, { ...half, jar: copyOf(half.jar) }, { otp: device.code() });
        return redeemCode(stage, codeOf(at));
      };
    },
  },
  'sign-in in a hook': {
    prepare: async (stage) => {
      const { app, gate, client, email } = stage;
      const begun = await walk(app, new CookieJar(), authorizePath(client, { scope: 'openid profile' }));
      const reached = gate.hold(email);
      const walking = submit(app, begun, { username: email, password });
      await Promise.race([reached, walking.then(() => Promise.reject(new Error('the hook did not run')))]);
      return async () => {
        gate.letGo(email);
        return redeemCode(stage, codeOf(await walking));
      };
    },
  },
  'refresh token': { prepare: refreshing },
  'refresh token, offline_access': { isOffline: true, prepare: refreshing },
  exchange: {
    prepare: async (stage) => {
      const { access_token: subject_token } = await firstTokens(stage);
      return () =>
        ask(stage, { grant_type: exchangeGrant, subject_token, subject_token_type: accessToken, scope: 'openid' });
    },
  },
  // What comes of it is a sign-in with that passkey, as somebody at the open browser would continue.
  'passkey being added': {
    prepare: async (stage) => {
      const { app, client, user } = stage;
      const { services, account } = app;
      const [session] = await listSessions(services, account, user);
      if (!session) throw new Error('the stage has no session');
      const visit = { user, session };
      const { creationOptions } = await listOwnPasskeys(services, account, visit);
      const passkey = new TestPasskey(account.baseUrl);
      const answer = passkey.create(JSON.parse(creationOptions ?? ''));
      return async () => {
        await addPasskey(services, account, visit, { answer, name: 'Key' }).catch(ignoreRefusal);
        const begun = await walk(app, new CookieJar(), authorizePath(client, { scope: 'openid profile' }));
        if (!asksForPasskey(begun.answer.text)) return null;
        const at = await showPasskey(app, begun, passkey.get(passkeyOptionsOf(begun.answer.text)));
        const isAsked = /name="decision"/.test(at.answer.text);
        return redeemCode(stage, codeOf(isAsked ? await submit(app, at, { decision: 'allow' }) : at));
      };
    },
  },
} as const satisfies Readonly<Record<string, Thing>>;

export type ThingName = keyof typeof things;

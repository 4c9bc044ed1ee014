/**
 * Which members of which operation must be live for a request to succeed. A new surface adds its operations to the
 * table; one that needs a caller only needs no line.
 */

import { basic } from '../support/app.ts';
import { deviceGrant } from '../support/devices.ts';
import { password } from '../support/sign-in.ts';
import { forgotten, newDevice, ownForm, ownPage, passwordChange } from './live-account.ts';
import { administrator } from './live-administrators.ts';
import { allowedDevice, beginning, exchanged, exchangeGrant, typedCode } from './live-devices.ts';
import { delegated, filledInvite, inviteRequest, openInvite, signedInBrowser } from './live-legacy.ts';
import { managed } from './live-management.ts';
import { authorization, page, pushed } from './live-pages.ts';
import { changedPasskey, newPasskey, shownPasskey } from './live-passkeys.ts';
import { ending, ownClient, registration, signingOut } from './live-registrations.ts';
import { byGrantType, clientKind, refreshed, revocation, showClient, showPair, userinfo } from './live-tokens.ts';
import type { Scheme } from './operations.ts';
import type { Pool } from './pool.ts';
import type { Plan } from './requests.ts';
import type { Taken } from './taken.ts';

/** Elements that would have to be free, or of this account. Values made at random are not. */
const elsewhere = { 'openid-name': undefined, 'role-id': undefined };

/** By scheme: callers that a header names. */
const callers: Readonly<Record<string, (pool: Pool, scheme: Scheme, plan: Plan) => Promise<Taken>>> = {
  apiKey: async (pool, _scheme, { operation }) =>
    operation.surface === 'xml' ? { live: { headers: basic(await pool.apiKey(), 'x') } } : { live: {} },
  bearer: async (pool, { scopes: [scope = ''] }, { operation }) => {
    const narrow = 'authentication_only';
    const opens = operation.security.some((scheme) => scheme?.scopes.includes(narrow));
    return {
      live: { headers: { authorization: `Bearer ${await pool.bearer(scope)}` } },
      expires: true,
      ...(!opens && { narrow: `Bearer ${await pool.bearer(narrow)}` }),
    };
  },
  dpop: administrator,
};

const assetNames = ['styles.css', 'icon.svg', 'send-form.js', 'passkeys.js'];

/** By operation: everything else. */
const sources: Readonly<Record<string, (pool: Pool, plan: Plan) => Promise<Taken>>> = {
  'auth-2 issueCredentialToken': async (pool, { scheme }) => {
    const { clientId, clientSecret } = await pool.pair('read_all');
    return { live: showPair(scheme, clientId, clientSecret, { grant_type: 'client_credentials' }) };
  },
  'auth-2 revokeCredentialToken': async (pool, { scheme, pick }) => {
    const { clientId, clientSecret } = await pool.pair('read_all');
    // A token that is revoked already is as good.
    const token = pick % 4 ? await pool.bearer('read_all', 'revocation') : await pool.newBearer('read_all');
    return { live: showPair(scheme, clientId, clientSecret, { access_token: token }), loose: ['access_token'] };
  },
  'oidc-2 registerClient': (_pool, plan) => registration(plan),
  'oidc-2 refreshToken': (pool, plan) => refreshed(pool, plan),
  'oauth2 registerClient': (_pool, plan) => registration(plan),
  'oauth2 readClient': (pool, plan) => ownClient(pool, plan),
  'oauth2 replaceClient': (pool, plan) => ownClient(pool, plan),
  'oauth2 deleteClient': (pool, plan) => ownClient(pool, plan),
  'oauth2 pushAuthorizationRequest': async (pool, plan) => unlinked(await pushed(pool, plan), 'body'),
  'oauth2 endSession': () => ending('query'),
  'oauth2 endSessionByForm': () => ending('body'),
  'oauth2 requestAuthorization': async (pool, plan) => unlinked(await authorization(pool, plan, 'query'), 'query'),
  'oauth2 requestAuthorizationByForm': async (pool, plan) => unlinked(await authorization(pool, plan, 'body'), 'body'),
  'oauth2 issueToken': async (pool, plan) => {
    const own = new Map<unknown, typeof byGrantType>([
      [deviceGrant, allowedDevice],
      [exchangeGrant, exchanged],
    ]);
    return unlinked(await (own.get(plan.body?.['grant_type']) ?? byGrantType)(pool, plan), 'body');
  },
  'oauth2 beginDeviceAuthorization': async (pool, plan) => unlinked(await beginning(pool, plan), 'body'),
  'oauth2 readUserinfo': (pool, plan) => userinfo(pool, plan),
  'oauth2 readUserinfoByForm': (pool, plan) => userinfo(pool, plan),
  'oauth2 introspectToken': async (pool, plan) => {
    const kind = clientKind(plan);
    const grant = await pool.grant(kind);
    const token = plan.pick % 2 ? grant.tokens.access_token : grant.tokens.refresh_token;
    const live = showClient(plan.scheme, grant.client, { token });
    return { live, loose: ['token'], settle: () => pool.giveBack(kind, grant) };
  },
  'oauth2 revokeToken': (pool, plan) => revocation(pool, plan),
  'xml createUser': async (pool, { freedom }) => {
    const body = { email: pool.newAddress(), ...(freedom === 'free' ? {} : elsewhere) };
    const settle = ({ status, text }: { status: number; text: string }) => {
      if (status === 201) pool.giveUser(/<id type="integer">(\d+)</.exec(text)?.[1] ?? '');
    };
    return { live: { body }, loose: ['email'], settle };
  },
  'xml readUser': async (pool) => ({ live: { path: { id: await pool.user() } }, loose: ['id'] }),
  'xml updateUser': async (pool, { freedom }) => {
    const path = { id: await pool.user() };
    return { live: { path, body: freedom === 'free' ? {} : elsewhere }, loose: ['id'] };
  },
  'xml deleteUser': async (pool) => {
    const id = await pool.takeUser();
    const settle = ({ status }: { status: number }) => {
      if (status !== 200) pool.giveUser(id);
    };
    return { live: { path: { id } }, loose: ['id'], settle };
  },
  'pages showSignIn': (pool, { pick }) => page(pool, pick % 3 === 0 ? 'consent' : 'open', 'query'),
  'pages signIn': async (pool) => {
    const taken = await page(pool, 'open', 'body', ({ user }) => ({ username: user.email ?? '', password }));
    return { ...taken, user: taken.signedIn };
  },
  'pages showSecondFactor': (pool, { pick }) => page(pool, pick % 3 === 0 ? 'open' : 'code', 'query'),
  'pages giveSecondFactor': async (pool) => {
    const taken = await page(pool, 'code', 'body', ({ code }) => ({ otp: code?.() ?? '' }));
    return { ...taken, user: taken.signedIn };
  },
  'pages signInWithPasskey': (pool) => shownPasskey(pool, 'sign-in'),
  'pages giveSecondPasskey': (pool) => shownPasskey(pool, 'second factor'),
  'pages showEnrolment': (pool, { pick }) => page(pool, pick % 3 === 0 ? 'open' : 'enrolment', 'query'),
  'pages enrolSecondFactor': async (pool) => {
    const taken = await page(pool, 'enrolment', 'body', ({ code }) => ({ otp: code?.() ?? '' }));
    return { ...taken, user: taken.signedIn };
  },
  'pages showNewPassword': (pool, { pick }) => page(pool, pick % 3 === 0 ? 'open' : 'expired', 'query'),
  'pages chooseNewPassword': async (pool, { pick }) => {
    const chosen = { new_password: `new ${password} ${pick}`, new_password_confirmation: `new ${password} ${pick}` };
    const taken = await page(pool, 'expired', 'body', () => chosen);
    return { ...taken, user: taken.signedIn };
  },
  'pages showConsent': (pool, { pick }) => page(pool, pick % 3 === 0 ? 'open' : 'consent', 'query'),
  'pages decideConsent': (pool, { pick }) =>
    page(pool, 'decision', 'body', () => ({ decision: pick % 2 ? 'allow' : 'deny' })),
  'pages cancelSignIn': async (pool, { pick }) => {
    const taken = await page(pool, pick % 2 ? 'open' : 'code', 'body', () => ({}));
    return { ...taken, settle: (answer) => (answer.status < 400 ? undefined : taken.settle?.(answer)) };
  },
  'pages continueAuthorization': async (pool, { pick }) => {
    const stage = (['granted', 'consent', 'open'] as const)[pick % 3] ?? 'open';
    const taken = await page(pool, stage, 'query');
    return stage === 'open' ? taken : { ...taken, user: taken.signedIn };
  },
  'pages showSignOut': (pool, plan) => signingOut(pool, 'query', plan),
  'pages signOut': (pool, plan) => signingOut(pool, 'body', plan),
  'pages enterUserCode': (pool) => typedCode(pool),
  'pages showInvite': (pool, plan) => openInvite(pool, plan),
  'pages acceptInvite': (pool, plan) => filledInvite(pool, plan),
  'pages showSignedIn': (pool) => signedInBrowser(pool),
  'pages askForReset': (pool) => forgotten(pool),
  'pages showAccount': (pool, plan) => ownPage(pool, plan),
  'pages showPasswordChange': (pool, plan) => ownPage(pool, plan),
  'pages changePassword': (pool, plan) => passwordChange(pool, plan),
  'pages showSecondFactors': (pool, plan) => ownPage(pool, plan),
  'pages showNewSecondFactor': (pool, plan) => ownPage(pool, plan),
  'pages addSecondFactor': (pool, plan) => newDevice(pool, plan),
  'pages removeSecondFactor': (pool) => ownForm(pool),
  'pages renewRecoveryCodes': (pool, { pick }) => ownForm(pool, { enrolled: pick % 3 !== 0 }),
  'pages showPasskeys': (pool, plan) => ownPage(pool, plan),
  'pages addPasskey': (pool) => newPasskey(pool),
  'pages changePasskey': (pool, plan) => changedPasskey(pool, plan),
  'pages showSessions': (pool, plan) => ownPage(pool, plan),
  'pages endOneSession': (pool) => ownForm(pool),
  'pages endAllSessions': (pool) => ownForm(pool, { endsBy: (status) => status === 303 }),
  'pages showApps': (pool, plan) => ownPage(pool, plan),
  'pages removeApp': (pool) => ownForm(pool),
  'api-v1 authenticateDelegated': (pool) => delegated(pool),
  'api-v3 makeInviteLink': (pool) => inviteRequest(pool, true),
  'api-1 createInviteLink': (pool) => inviteRequest(pool, false),
  'pages readAsset': async (_pool, { pick }) => ({
    live: { path: { name: assetNames[pick % assetNames.length] ?? '' } },
  }),
};

/** The live values that a planned request needs. */
export async function takeLive(pool: Pool, plan: Plan): Promise<Taken> {
  const { operation, scheme } = plan;
  const caller = scheme && (await callers[scheme.name]?.(pool, scheme, plan));
  const taken =
    operation.surface === 'api-2' ? await managed(pool.fixtures, plan) : await sources[operation.name]?.(pool, plan);
  const headers = { ...caller?.live.headers, ...taken?.live.headers };
  return { ...caller, ...taken, live: { ...taken?.live, headers } };
}

/** Whether the operation needs anything live at all. */
export function needsLive({ name, security }: Plan['operation']): boolean {
  return name in sources || security.some((scheme) => scheme !== null && scheme.name in callers);
}

/** The clients are linked to no API: a `resource` is one more thing that is wrong (RFC 8707 §2). */
function unlinked(taken: Taken, place: 'query' | 'body'): Taken {
  return { ...taken, live: { ...taken.live, [place]: { ...taken.live[place], resource: undefined } } };
}

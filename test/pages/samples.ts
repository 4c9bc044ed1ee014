import {
  accountPage,
  appsPage,
  backPage,
  consentPage,
  deviceDonePage,
  devicePage,
  enrolmentPage,
  errorPage,
  factorsPage,
  forgotPasswordPage,
  invitePage,
  newPasswordPage,
  passkeysPage,
  passwordChangePage,
  passwordSavedPage,
  type RefusalReason,
  recoveryCodesPage,
  refusalPage,
  resetSentPage,
  secondFactorPage,
  sessionsPage,
  signedInPage,
  signedOutPage,
  signInPage,
  signOutPage,
} from '../../src/pages/views.ts';

const requestId = '01J9Z6T2M4V8Q0W3K7R5N1B6XC';

/** What a page asks the browser with for a passkey, on the host that the tests open it on. */
export const passkeyOptions = JSON.stringify({
  rpId: 'pages.localhost',
  challenge: 'AAAA',
  userVerification: 'required',
});
const creationOptions = JSON.stringify({
  rp: { id: 'pages.localhost', name: 'Northwind Traders' },
  user: { id: 'AAAA', name: 'ada', displayName: 'Ada' },
  challenge: 'AAAA',
  pubKeyCredParams: [{ type: 'public-key', alg: -7 }],
});

/** What people and clients may choose freely on the pages. */
export interface Names {
  readonly account: string;
  readonly app: string;
  readonly user: string;
  readonly email: string;
  readonly scope: string;
}

export const plainNames: Names = {
  account: 'Northwind Traders',
  app: 'Expense Desk',
  user: 'Ada Lovelace',
  email: 'ada@northwind.example',
  scope: 'See your e-mail address',
};

const awkward = `${'Ω'.repeat(90)}${'W'.repeat(90)} "><script>alert(1)</script>'\u202Etfel ot thgir 😀`;

/** Long, right to left, beyond the basic plane, and markup. */
export const awkwardNames: Names = { account: awkward, app: awkward, user: awkward, email: awkward, scope: awkward };

const reasons = {
  user_locked: 'locked',
  user_suspended: 'suspended',
  access_not_assigned: 'no-access',
  administrator_required: 'no-administrator',
  user_inactive: 'inactive',
  sign_in_refused: 'sign-in-refused',
} as const satisfies Record<RefusalReason, string>;

/** One document of every page and state, by a name for it. */
export function allPages(names: Names): ReadonlyMap<string, string> {
  const form = {
    accountName: names.account,
    appName: names.app,
    csrf: 'pW6nD0xH3kM9',
    request: 'Zk3vQ8sT1nW5',
    cancel: '/cancel',
  };
  const consent = {
    ...form,
    redirectHost: 'expenses.example.com',
    userName: names.user,
    userEmail: names.email,
    scopes: [
      { name: 'email', title: names.scope, description: names.scope },
      { name: 'reports:read', title: 'Read reports', description: '' },
    ],
    isUnchecked: false,
    shown: 'aB3xK9mQ2wE7',
    action: '/consent',
  };
  const replacing = { ...form, username: names.email, minimumLength: 12, action: '/new-password' };
  const invited = { ...replacing, token: 'il_pW6nD0xH3kM9', action: '/password/reset' };
  const signIn = { ...form, action: '/sign-in', passkeyOptions, passkeyAction: '/sign-in/passkey' };
  const factor = { ...form, username: names.email, action: '/second-factor' };
  const passkey = { passkeyOptions, passkeyAction: '/second-factor/passkey' };
  const coded = { ...factor, ...passkey, codes: true, passkeyOptions: null };
  const laptop = { id: 17, name: names.app, createdAt: 1_760_000_000_000, lastUsedAt: null, backedUp: false };
  const passkeys = {
    ...{ accountName: names.account, userName: names.user, userEmail: names.email, csrf: form.csrf, creationOptions },
    passkeys: [laptop, { ...laptop, id: 18, name: 'Phone', lastUsedAt: 1_763_000_000_000, backedUp: true }],
  };
  const secret = 'JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP';
  const url = `otpauth://totp/Northwind:ada?issuer=Northwind&secret=${secret}`;
  const enrolment = { ...factor, secret, url, action: '/second-factor/enrol' };
  const recoveryCodes = Array.from({ length: 10 }, (_, at) => `7k2m${at}-9xw4t`);
  const signingOut = {
    accountName: names.account,
    userName: names.user,
    userEmail: names.email,
    csrf: form.csrf,
    request: form.request,
    action: '/sign-out',
  };
  const awaiting = { accountName: names.account, csrf: form.csrf, userCode: '', action: '/device' };
  const own = { accountName: names.account, csrf: form.csrf };
  const at = Date.UTC(2026, 10, 21, 10);
  const changing = { ...own, username: names.email, minimumLength: 12, endOthers: true };
  const device = { id: 1, name: names.user, createdAt: at, lastUsedAt: null };
  const userAgent = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0';
  const session = { id: 1, own: true, authenticatedAt: at, lastSeenAt: at, source: '2001:db8::17', userAgent };
  const allowed = { id: 1, name: names.app, scopes: [names.scope], allowedAt: at, hasTokens: true };
  const links = {
    clientUri: 'https://expenses.example.com/',
    policyUri: 'https://expenses.example.com/privacy',
    tosUri: 'https://expenses.example.com/terms',
  };
  const error = { title: 'Nothing here', message: 'There is no page at this address.', requestId, status: 404 };
  return new Map([
    ['sign-in', signInPage({ ...signIn, username: '' })],
    ['sign-in-wrong', signInPage({ ...signIn, username: names.user, problem: 'wrong' })],
    ['sign-in-missing', signInPage({ ...signIn, username: '', problem: 'missing' })],
    ['sign-in-passkey', signInPage({ ...signIn, username: '', problem: 'passkey' })],
    ['second-factor', secondFactorPage(coded)],
    ['second-factor-wrong', secondFactorPage({ ...coded, problem: 'wrong' })],
    ['second-factor-recovery', secondFactorPage({ ...coded, problem: 'wrong', recovery: true })],
    ['second-factor-either', secondFactorPage({ ...factor, ...passkey, codes: true, problem: 'passkey' })],
    ['second-factor-passkey', secondFactorPage({ ...factor, ...passkey, codes: false })],
    ['passkeys', passkeysPage(passkeys)],
    ['passkeys-none', passkeysPage({ ...passkeys, userName: '', passkeys: [], problem: 'name' })],
    ['passkeys-full', passkeysPage({ ...passkeys, creationOptions: null, problem: 'full' })],
    ['enrolment', enrolmentPage(enrolment)],
    ['enrolment-missing', enrolmentPage({ ...enrolment, problem: 'missing' })],
    ['recovery-codes', recoveryCodesPage({ ...form, codes: recoveryCodes, next: '/continue?request=Zk3vQ8sT1nW5' })],
    ['new-password', newPasswordPage(replacing)],
    ['new-password-differs', newPasswordPage({ ...replacing, problem: 'different' })],
    ['new-password-weak', newPasswordPage({ ...replacing, problem: { weakness: 'must have 12 to 256 characters' } })],
    ['invite', invitePage(invited)],
    ['invite-weak', invitePage({ ...invited, problem: { weakness: 'must have 12 to 256 characters' } })],
    ['invite-forgotten', invitePage({ ...invited, forgotten: true })],
    ['forgot-password', forgotPasswordPage(form)],
    ['forgot-password-missing', forgotPasswordPage({ ...form, request: '', missing: true })],
    ['reset-sent', resetSentPage(form)],
    ['signed-in', signedInPage({ accountName: names.account, userName: names.user, userEmail: names.email })],
    ['signed-in-nameless', signedInPage({ accountName: names.account, userName: '', userEmail: names.email })],
    ['password-saved', passwordSavedPage(names.account, 'invite')],
    ['password-saved-forgotten', passwordSavedPage(names.account, 'reset')],
    ['password-saved-not-let-in', passwordSavedPage(names.account, 'not_let_in', requestId)],
    ['consent', consentPage({ ...consent, ...links })],
    ['consent-bare', consentPage({ ...consent, userName: '', scopes: [] })],
    [
      'consent-api',
      consentPage({
        ...consent,
        api: {
          name: names.app,
          resourceIdentifier: 'https://mcp.example.com/mcp',
          scopes: [{ name: 'tools:call', title: 'Call the tools', description: 'tools:call' }],
        },
        mayAct: [names.app, 'Nightly agent'],
        isUnchecked: true,
      }),
    ],
    [
      'consent-api-by-name',
      consentPage({
        ...consent,
        scopes: [],
        api: { name: names.app, resourceIdentifier: 'urn:example:orders', scopes: [] },
      }),
    ],
    ['consent-document', consentPage({ ...consent, isUnchecked: true, documentHost: names.app })],
    ['consent-device', consentPage({ ...consent, userCode: 'WDJB-MJHT' })],
    ['device', devicePage(awaiting)],
    ['device-wrong', devicePage({ ...awaiting, userCode: 'WDJB-MJHT', problem: 'wrong' })],
    ['device-missing', devicePage({ ...awaiting, problem: 'missing' })],
    ['device-allowed', deviceDonePage({ accountName: names.account, allowed: true })],
    ['device-denied', deviceDonePage({ accountName: names.account, allowed: false })],
    [
      'account',
      accountPage({
        ...{ accountName: names.account, userName: names.user, userEmail: names.email, passwordChangedAt: at },
        ...{ devices: 1, passkeys: 1, sessions: 2, apps: 1, done: 'password_changed' },
      }),
    ],
    ['account-password', passwordChangePage(changing)],
    ['account-password-wrong', passwordChangePage({ ...changing, problem: 'wrong' })],
    [
      'account-password-weak',
      passwordChangePage({ ...changing, problem: { weakness: 'must have 12 to 256 characters' } }),
    ],
    [
      'account-factors',
      factorsPage({ ...own, devices: [device, { ...device, lastUsedAt: at }], codesLeft: 3, canAdd: true }),
    ],
    ['account-factors-none', factorsPage({ ...own, devices: [], codesLeft: 0, canAdd: true })],
    ['account-new-factor', enrolmentPage({ ...enrolment, own: '/account/second-factors' })],
    [
      'account-sessions',
      sessionsPage({ ...own, sessions: [session, { ...session, own: false, userAgent: null, source: null }] }),
    ],
    ['account-apps', appsPage({ ...own, apps: [allowed, { ...allowed, allowedAt: null, hasTokens: false }] })],
    ['account-apps-none', appsPage({ ...own, apps: [] })],
    ['sign-out', signOutPage({ ...signingOut, appName: names.app })],
    ['sign-out-bare', signOutPage({ ...signingOut, userName: '' })],
    ['signed-out', signedOutPage({ accountName: names.account })],
    ['signed-out-onward', signedOutPage({ accountName: names.account, onward: 'https://notes.example.com/bye' })],
    [
      'back',
      backPage({
        accountName: names.account,
        answer: {
          by: 'form_post',
          action: 'https://expenses.example.com/callback',
          members: { code: 'vB7cR2xK9pQ4', state: names.app },
        },
      }),
    ],
    [
      'back-by-hand',
      backPage({
        accountName: names.account,
        answer: { by: 'redirect', location: 'com.example.notes:/in?error=invalid_scope', byHand: true },
      }),
    ],
    ['error', errorPage({ ...error, accountName: names.account, hint: 'Check the address.' })],
    ['error-no-account', errorPage(error)],
    ['error-way-back', errorPage({ ...error, accountName: names.account, startAgain: 'https://app.example.com/in' })],
    ['error-busy', errorPage({ ...error, accountName: names.account, status: 503 })],
    ...Object.entries(reasons).map(([reason, name]): [string, string] => [
      `refusal-${name}`,
      refusalPage({ accountName: names.account, appName: names.app, reason: reason as RefusalReason, requestId }),
    ]),
  ]);
}

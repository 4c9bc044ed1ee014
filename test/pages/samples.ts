import {
  consentPage,
  deviceDonePage,
  devicePage,
  enrolmentPage,
  errorPage,
  invitePage,
  newPasswordPage,
  passwordSavedPage,
  type RefusalReason,
  recoveryCodesPage,
  refusalPage,
  secondFactorPage,
  signedInPage,
  signedOutPage,
  signInPage,
  signOutPage,
} from '../../src/pages/views.ts';

const requestId = '01J9Z6T2M4V8Q0W3K7R5N1B6XC';

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
  user_inactive: 'inactive',
  sign_in_refused: 'sign-in-refused',
} as const satisfies Record<RefusalReason, string>;

/** One document of every page and state, by a name for it. */
export function allPages(names: Names): ReadonlyMap<string, string> {
  const form = { accountName: names.account, appName: names.app, csrf: 'pW6nD0xH3kM9', request: 'Zk3vQ8sT1nW5' };
  const consent = {
    ...form,
    redirectHost: 'expenses.example.com',
    userName: names.user,
    userEmail: names.email,
    scopes: [
      { name: 'email', title: names.scope, description: names.scope },
      { name: 'reports:read', title: 'Read reports', description: '' },
    ],
    action: '/consent',
  };
  const replacing = { ...form, username: names.email, minimumLength: 12, action: '/new-password' };
  const invited = { ...replacing, token: 'il_pW6nD0xH3kM9', action: '/password/reset' };
  const factor = { ...form, username: names.email, action: '/second-factor' };
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
  const device = { accountName: names.account, csrf: form.csrf, userCode: '', action: '/device' };
  const links = {
    clientUri: 'https://expenses.example.com/',
    policyUri: 'https://expenses.example.com/privacy',
    tosUri: 'https://expenses.example.com/terms',
  };
  const error = { title: 'Nothing here', message: 'There is no page at this address.', requestId, status: 404 };
  return new Map([
    ['sign-in', signInPage({ ...form, username: '', action: '/sign-in' })],
    ['sign-in-wrong', signInPage({ ...form, username: names.user, problem: 'wrong', action: '/sign-in' })],
    ['sign-in-missing', signInPage({ ...form, username: '', problem: 'missing', action: '/sign-in' })],
    ['second-factor', secondFactorPage(factor)],
    ['second-factor-wrong', secondFactorPage({ ...factor, problem: 'wrong' })],
    ['second-factor-recovery', secondFactorPage({ ...factor, problem: 'wrong', recovery: true })],
    ['enrolment', enrolmentPage(enrolment)],
    ['enrolment-missing', enrolmentPage({ ...enrolment, problem: 'missing' })],
    ['recovery-codes', recoveryCodesPage({ ...form, codes: recoveryCodes, next: '/continue?request=Zk3vQ8sT1nW5' })],
    ['new-password', newPasswordPage(replacing)],
    ['new-password-differs', newPasswordPage({ ...replacing, problem: 'different' })],
    ['new-password-weak', newPasswordPage({ ...replacing, problem: { weakness: 'must have 12 to 256 characters' } })],
    ['invite', invitePage(invited)],
    ['invite-weak', invitePage({ ...invited, problem: { weakness: 'must have 12 to 256 characters' } })],
    ['signed-in', signedInPage({ accountName: names.account, userName: names.user, userEmail: names.email })],
    ['signed-in-nameless', signedInPage({ accountName: names.account, userName: '', userEmail: names.email })],
    ['password-saved', passwordSavedPage(names.account)],
    ['consent', consentPage({ ...consent, ...links })],
    ['consent-bare', consentPage({ ...consent, userName: '', scopes: [] })],
    ['consent-device', consentPage({ ...consent, userCode: 'WDJB-MJHT' })],
    ['device', devicePage(device)],
    ['device-wrong', devicePage({ ...device, userCode: 'WDJB-MJHT', problem: 'wrong' })],
    ['device-missing', devicePage({ ...device, problem: 'missing' })],
    ['device-allowed', deviceDonePage({ accountName: names.account, allowed: true })],
    ['device-denied', deviceDonePage({ accountName: names.account, allowed: false })],
    ['sign-out', signOutPage({ ...signingOut, appName: names.app })],
    ['sign-out-bare', signOutPage({ ...signingOut, userName: '' })],
    ['signed-out', signedOutPage({ accountName: names.account })],
    ['error', errorPage({ ...error, accountName: names.account, hint: 'Check the address.' })],
    ['error-no-account', errorPage(error)],
    ['error-busy', errorPage({ ...error, accountName: names.account, status: 503 })],
    ...Object.entries(reasons).map(([reason, name]): [string, string] => [
      `refusal-${name}`,
      refusalPage({ accountName: names.account, appName: names.app, reason: reason as RefusalReason, requestId }),
    ]),
  ]);
}

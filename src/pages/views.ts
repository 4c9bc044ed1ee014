/**
 * The hosted pages: each function returns the HTML of a whole document that holds no inline style or script and works
 * without any.
 */
export { accountPage } from './account-page.ts';
export {
  appsPage,
  factorsPage,
  passwordChangePage,
  sessionsPage,
} from './account-pages.ts';
export { backPage } from './back-page.ts';
export { type ConsentView, consentPage, type ScopeView } from './consent-page.ts';
export { deviceDonePage, devicePage, type UserCodeProblem } from './device-page.ts';
export { forgotPasswordPage, resetSentPage } from './forgot-password-page.ts';
export { errorPage, type RefusalReason, refusalPage } from './message-pages.ts';
export { invitePage, newPasswordPage } from './new-password-page.ts';
export { passkeysPage } from './passkeys-page.ts';
export {
  enrolmentPage,
  recoveryCodesPage,
  secondFactorPage,
} from './second-factor-page.ts';
export { signInPage } from './sign-in-page.ts';
export { signedOutPage, signOutPage } from './sign-out-page.ts';
export { passwordSavedPage, signedInPage } from './signed-in-page.ts';

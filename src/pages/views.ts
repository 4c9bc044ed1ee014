/** The hosted pages: each function returns the HTML of a whole document that needs no script and holds no inline style. */
export { type ConsentView, consentPage, type ScopeView } from './consent-page.ts';
export { type DeviceView, deviceDonePage, devicePage, type UserCodeProblem } from './device-page.ts';
export { type ErrorView, errorPage, type RefusalReason, type RefusalView, refusalPage } from './message-pages.ts';
export { type InviteView, invitePage, type NewPasswordView, newPasswordPage } from './new-password-page.ts';
export {
  type EnrolmentView,
  enrolmentPage,
  type RecoveryCodesView,
  recoveryCodesPage,
  type SecondFactorView,
  secondFactorPage,
} from './second-factor-page.ts';
export { type SignInView, signInPage } from './sign-in-page.ts';
export { type SignOutView, signedOutPage, signOutPage } from './sign-out-page.ts';
export { passwordSavedPage, type SignedInView, signedInPage } from './signed-in-page.ts';

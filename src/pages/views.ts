/**
 * The hosted pages: each function returns the HTML of a whole document that holds no inline style or script and works
 * without any.
 */
export { type AccountView, accountPage } from './account-page.ts';
export {
  type AppsView,
  appsPage,
  type FactorsView,
  factorsPage,
  type PasswordChangeView,
  passwordChangePage,
  type SessionsView,
  sessionsPage,
} from './account-pages.ts';
export { type ConsentView, consentPage, type ScopeView } from './consent-page.ts';
export { type DeviceView, deviceDonePage, devicePage, type UserCodeProblem } from './device-page.ts';
export { type ForgotPasswordView, forgotPasswordPage, resetSentPage } from './forgot-password-page.ts';
export { type FormPostView, formPostPage } from './form-post-page.ts';
export { type ErrorView, errorPage, type RefusalReason, type RefusalView, refusalPage } from './message-pages.ts';
export { type InviteView, invitePage, type NewPasswordView, newPasswordPage } from './new-password-page.ts';
export { type PasskeysView, type PasskeyView, passkeysPage } from './passkeys-page.ts';
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

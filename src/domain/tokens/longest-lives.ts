/** For how long tokens may be good, whoever sets it: for an app, or for an API. */

/** A signing key stays published as long as the tokens that it signed: see `signing-keys.ts`. */
export const mostAccessTokenMinutes = 1440;
/** The maximum idle time of a refresh token that an account's settings allow. */
export const mostRefreshTokenMinutes = 525_600;

/** Why refresh tokens were refused, in words, each with its remedy. */

interface Words {
  readonly cause: string;
  readonly remedy: string;
}

const signInAgain = 'The user signs in again.';

/** By `<action> <reason>` of the event. */
export const refreshWords: Readonly<Record<string, Words>> = {
  'refresh.reused refresh_token_reused': {
    cause:
      'The refresh token had been used before, and its successor was given then: the service ended its whole family of ' +
      'tokens.',
    remedy:
      `${signInAgain} If the app sent it, it must keep the newest refresh token and send one refresh at a time ` +
      '(docs/refresh-tokens.md, "What an app must do"). If it did not, somebody has a copy of the token.',
  },
  'refresh.refused unknown': {
    cause:
      'The service does not know the refresh token: its grant ended more than a day ago, or the database was replaced.',
    remedy: signInAgain,
  },
  'refresh.refused other_client': {
    cause: 'The refresh token was given to another app.',
    remedy: 'Have the app send the refresh token that it was given, with its own client_id.',
  },
  'refresh.refused expired': {
    cause: 'The refresh token had expired.',
    remedy:
      `${signInAgain} The app, its API, or the settings refresh.idle_days and refresh.absolute_days of the account ` +
      'say how long tokens last.',
  },
  'refresh.refused revoked': {
    cause: 'The refresh token had ended: the user signed out or lost access, it was revoked, or an old one was used.',
    remedy: `${signInAgain} gatehouse audit list shows the event that ended it.`,
  },
  'refresh.refused scope_exceeded': {
    cause: 'The app asked for a scope that the refresh token does not have.',
    remedy: 'Have the app ask for what was granted, or leave scope out. For more, the user signs in again.',
  },
  'refresh.refused proof_used': {
    cause: 'The DPoP proof of the refresh had been used before.',
    remedy: 'Have the app make a new proof for each request, and send the same refresh token again.',
  },
};

/** The causes of refusals in words, each with its remedy. */

import { command, forUser, type Named, quoted, which, whom } from './named.ts';
import { refreshWords } from './refresh-words.ts';
import { resetWords } from './reset-words.ts';

export interface Explained {
  readonly cause: string;
  readonly remedy: string;
}

type Explain = (named: Named) => Explained;

const says =
  (cause: string, remedy: string): Explain =>
  () => ({ cause, remedy });

const startAgain = 'Go back to the application and start the sign-in again.';
const manageAll = ['administrator', 'add', '--scope', 'manage_all'];
const setActive = (named: Named) =>
  forUser(named, 'Set the status', ['user', 'set', 'status=active'], 'Set the status of the user to active.');
const registeredFor = ({ app }: Named, none: string) => app?.redirectUris.join(', ') || none;

function assign(named: Named): string {
  const [, user] = named.user?.options ?? [];
  if (user === undefined || named.app?.id == null) return 'Assign it to the user, or to one of their roles.';
  const grant = command(named, 'access', 'grant', '--app', String(named.app.id), '--user', user);
  return `Assign it: ${grant}. Or assign it to one of their roles, by --role.`;
}

/** An OAuth error in an authorization request. */
const badRequest =
  (error: string): Explain =>
  (named) => ({
    cause: `${which(named)} sent an authorization request that is not valid (${error}).`,
    remedy: 'The error_description that the app or the page got says which parameter: correct it in the app.',
  });

/** By code or reason of the failure, or `<action> <reason>` of the event. */
const explanations: Readonly<Record<string, Explain>> = {
  client_missing: says(
    'The authorization request had no client_id.',
    'Have the application send its client_id: the address was typed by hand, or the application is not configured.',
  ),
  client_unknown: ({ clientId, account }) => ({
    cause: `No app of the account ${account} has the client_id ${clientId}.`,
    remedy: clientId?.startsWith('https://')
      ? 'To take clients of this host that are known by a metadata document: gatehouse account set ' +
        `${account} ${quoted(`client_id_metadata_documents=${URL.parse(clientId)?.host}`)}.`
      : `Correct the client_id in the application, or its account: ${command({ account }, 'app', 'list')} lists the apps.`,
  }),
  client_document_unusable: ({ clientId }) => ({
    cause: `At the client_id ${clientId} there is no metadata document that can be used.`,
    remedy:
      'The page that was shown, and the log line client_document.refused, say what is wrong. ' +
      'The document must be served directly, as JSON, with its own address as client_id.',
  }),
  client_documents_full: ({ account }) => ({
    cause: `The account ${account} has 1,000 apps of clients with a metadata document, the most that there may be.`,
    remedy:
      `Remove apps that nobody needs (gatehouse app delete; ${command({ account }, 'app', 'list')} lists them), or have ` +
      'unused ones expire sooner: the setting open_registration.idle_days of the account, which gatehouse account show ' +
      `${account} shows.`,
  }),
  redirect_uri_missing: (named) => ({
    cause: `${which(named)} sent no redirect_uri.`,
    remedy: `Have the app send one of its redirect URIs: ${registeredFor(named, 'none is registered')}.`,
  }),
  redirect_uri_differs: (named) => ({
    cause: `${which(named)} sent the redirect URI ${named.address}, which is not registered for it.`,
    remedy:
      'Register exactly this URI, or have the app send one that is registered, character for character: ' +
      `${registeredFor(named, 'none is')}.`,
  }),
  request_used_up: (named) => ({
    cause: `The pushed request (request_uri) of ${which(named)} was used before, has expired (90 seconds), or is not its own.`,
    remedy: `${startAgain} If it recurs, the app must push a new request for each sign-in.`,
  }),
  invalid_request_object: (named) => ({
    cause: `The request object of ${which(named)} is not signed with one of its keys, is not valid now, or is not for this account.`,
    remedy: 'Compare the keys that it signs with to its jwks or jwks_uri. Check its clock, and the claims aud and iss.',
  }),
  request_not_supported: (named) => ({
    cause: `${which(named)} sent a request object, but has registered no keys.`,
    remedy: 'Register jwks or jwks_uri for the app, or have it send plain parameters.',
  }),
  authorization_request_invalid: says(
    'The sign-in had ended, had expired, or was begun in another browser.',
    `${startAgain} Cookies must be allowed, and the page must not be kept as a bookmark.`,
  ),
  cross_site_request: says(
    'The form was not the newest of this browser: it was opened before, in another tab or browser, or by another site.',
    startAgain,
  ),
  'invite_unusable used': says(
    'The link had been used: a password has been chosen with it.',
    'Sign in with that password, or ask for another link.',
  ),
  'invite_unusable expired': says('The link had expired.', 'Send an invitation again, or ask for another link.'),
  invite_unusable: says(
    'The link is incomplete, was replaced by a newer one, or the user has changed since.',
    'Use the newest link, or ask for another one.',
  ),
  rate_limited: ({ account }) => ({
    cause: 'There were too many requests: a limit of the account was reached.',
    remedy:
      'Wait: most limits last a minute, those on mailed links an hour. If many users share one address, check ' +
      `TRUST_PROXY and the limits, which gatehouse account show ${account} shows and gatehouse account set changes.`,
  }),
  not_found: says('The service has no page at this address.', 'Correct the link that leads there.'),
  method_not_allowed: says(
    'The page was asked for with a wrong HTTP method.',
    'Correct the form or link that leads there.',
  ),
  body_too_large: says('The form was larger than the service accepts.', 'Send less.'),
  unavailable: says(
    'The service was busy, or its database did not answer.',
    'Try again. gatehouse doctor and the log lines with this requestId say more.',
  ),
  internal: says(
    'A fault of the service itself.',
    'The log has the stack in the line "internal error" with this requestId: report it.',
  ),
  user_locked: (named) => ({ cause: `${whom(named)} is locked.`, remedy: setActive(named) }),
  user_suspended: (named) => ({ cause: `${whom(named)} is suspended.`, remedy: setActive(named) }),
  user_inactive: (named) => ({
    cause: `${whom(named)} is not active: no password was ever chosen, or it must be replaced.`,
    remedy: `${forUser(named, 'Make a link for a new password', ['user', 'invite'], 'Send an invitation.')} Or set a password.`,
  }),
  access_not_assigned: (named) => ({
    cause: `${which(named)} is assigned to ${whom(named)} neither directly nor by a role.`,
    remedy: assign(named),
  }),
  administrator_required: (named) => ({
    cause: `The console is for administrators, and ${whom(named)} is none.`,
    remedy: forUser(named, 'To let them manage everything', manageAll, 'Make the user an administrator.'),
  }),
  sign_in_refused: (named) => ({
    cause: 'A hook of the account refused the sign-in, or failed.',
    remedy: `${command(named, 'hook', 'list')} shows the hooks, and gatehouse hook logs the runs of one.`,
  }),
  changed_meanwhile: (named) => ({
    cause: `Password, status, access or second factors of ${whom(named)} changed while the sign-in was under way.`,
    remedy: 'Sign in again.',
  }),
  'hook.sign_in_refused': (named) => ({
    cause: `The rule of the hook ${named.hook} refused the sign-in of ${whom(named)}: its function answered {success: false}.`,
    remedy: `Its log says what it decided on: ${command(named, 'hook', 'logs', named.hook ?? '')}.`,
  }),
  'hook.failed': (named) => ({
    cause: `The program of the hook ${named.hook} failed, and hook_failure=deny refuses sign-ins then: no rule refused ${whom(named)}.`,
    remedy:
      `Repair the function: ${command(named, 'hook', 'logs', named.hook ?? '')} shows the error. To let ` +
      `users in meanwhile: gatehouse account set ${named.account} hook_failure=continue, or disable the hook.`,
  }),
  'sign_in.failed unknown_user': (named) => ({
    cause: 'Nobody has the name that was typed.',
    remedy: `Check the e-mail address or user name: ${command(named, 'user', 'list')} shows them.`,
  }),
  'sign_in.failed wrong_password': (named) => ({
    cause: `The password for ${whom(named)} was wrong.`,
    remedy: 'Try again, or choose a new password with the link of "Forgot your password?".',
  }),
  'sign_in.failed wrong_passkey': says('The passkey was not accepted.', 'Use another passkey, or the password.'),
  'sign_in.failed closed': (named) => ({
    cause: `Sign-in for ${whom(named)} was closed for some time after too many wrong passwords.`,
    remedy: forUser(named, 'To open it at once', ['user', 'unlock'], 'Wait until it opens again.'),
  }),
  'mfa.failed wrong_code': (named) => ({
    cause: `The code of the second factor of ${whom(named)} was wrong.`,
    remedy: "Check the clock of the user's telephone; a recovery code works as well.",
  }),
  'mfa.failed closed': (named) => ({
    cause: `The second factor of ${whom(named)} was closed for some time after too many wrong codes.`,
    remedy: forUser(named, 'To open it at once', ['user', 'unlock'], 'Wait until it opens again.'),
  }),
  ...resetWords,
  ...Object.fromEntries(Object.entries(refreshWords).map(([key, words]) => [key, () => words])),
  'device.code_refused': says('The code of the device was wrong or had expired.', 'Start again at the device.'),
};

/** `the app` and `the user` stand for those that have no name, also where a sentence begins. */
function asSentence({ cause, remedy }: Explained): Explained {
  return { cause: cause.replace(/^the /, 'The '), remedy };
}

/** By the most specific key that is known; null if there is none. */
export function explain(keys: readonly (string | null)[], named: Named): Explained | null {
  const found = keys.map((key) => (key !== null && Object.hasOwn(explanations, key) ? explanations[key] : undefined));
  const explained = found.find((one) => one !== undefined)?.(named);
  return explained ? asSentence(explained) : null;
}

/** The same for an authorization request; the reason of one is an error of OAuth where it has no words of its own. */
export function explainRequest(reason: string, named: Named): Explained {
  return explain([reason], named) ?? asSentence(badRequest(reason)(named));
}

/** Why no link to a forgotten password was sent, in words, each with its remedy. */

import { command, forUser, type Named, whom } from './named.ts';

interface Words {
  readonly cause: string;
  readonly remedy: string;
}

const makeLink = (named: Named) =>
  forUser(
    named,
    'Make a link at once and give it to the user',
    ['user', 'invite'],
    'Make an invite link for the user.',
  );

/** By `<action> <reason>` of the event. */
export const resetWords: Readonly<Record<string, (named: Named) => Words>> = {
  'password_reset.refused unknown_user': (named) => ({
    cause: 'No link was sent: nobody has the name that was typed.',
    remedy: `Check the e-mail address or user name: ${command(named, 'user', 'list')} shows them.`,
  }),
  'password_reset.refused no_email': (named) => ({
    cause: `No link was sent: ${whom(named)} has no e-mail address.`,
    remedy: makeLink(named),
  }),
  'password_reset.refused not_active': (named) => ({
    cause: `No link was sent: ${whom(named)} was unactivated, suspended or locked.`,
    remedy:
      `${forUser(named, 'If the user is suspended or locked, set the status', ['user', 'set', 'status=active'], 'If the user is suspended or locked, set the status to active.')} ` +
      'One who is unactivated gets an invite link (gatehouse user invite).',
  }),
  'password_reset.refused held': (named) => ({
    cause:
      `No link was sent: a caller without manage_all wrote the address of ${whom(named)}, and none goes there for 24 ` +
      `hours${heldUntil(named)}.`,
    remedy: `${makeLink(named)} Another address that is written with manage_all can be used at once.`,
  }),
  'password_reset.refused too_many': (named) => ({
    cause: `No link was sent: ${whom(named)} had already been sent as many as limit.reset-user of the account allows.`,
    remedy:
      'Use one of the links that were sent, or ask again when the time of the limit is over: gatehouse account show ' +
      `${named.account} shows it. ${makeLink(named)}`,
  }),
};

/** Of the address that the user has now; empty where none is known. */
function heldUntil({ user }: Named): string {
  const until = user?.heldUntil ?? null;
  return until === null ? '' : `, until ${new Date(until).toISOString()}`;
}

import type { Command } from 'commander';
import { rotateKeys } from '../domain/keys/rotate-keys.ts';
import { type KeyStanding, listKeys } from '../domain/keys/signing-keys.ts';
import { type Answer, addCommand, addGroup, type Outlet } from './command.ts';
import { isoTime, table } from './output.ts';
import { withAccount } from './session.ts';

export function addKeyCommands(program: Command, outlet: Outlet): void {
  const group = addGroup(program, 'keys', 'keys that sign id tokens');
  addCommand<{ account: string; emergency?: true }>(
    group,
    'rotate',
    'publish the next keys; they start to sign a day later',
    outlet,
    ({ options }) =>
      withAccount(options.account, async (services, account) => {
        const before = await listKeys(services, account);
        const after = await rotateKeys(services, account, { emergency: options.emergency === true });
        const answer = many(after);
        const isDone = after.some(({ kid }) => !before.some((key) => key.kid === kid));
        return isDone ? answer : { ...answer, text: nothingDone(after, options.account) + answer.text };
      }),
  )
    .requiredOption('--account <subdomain>', 'the account')
    .option('--emergency', 'the keys are compromised: sign with new ones at once and withdraw the old ones');
  addCommand<{ account: string }>(group, 'list', 'list all keys with their state', outlet, ({ options }) =>
    withAccount(options.account, async (services, account) => many(await listKeys(services, account))),
  ).requiredOption('--account <subdomain>', 'the account');
}

/** The next keys are there already; repeating the command changes nothing. */
function nothingDone(keys: readonly KeyStanding[], subdomain: string): string {
  const signsFrom = Math.max(...keys.filter(({ state }) => state === 'next').map((key) => key.signsFrom));
  return (
    `Nothing was done: the next keys are published already, and sign from ${isoTime(signsFrom)}.\n` +
    `If the keys that sign now have leaked: gatehouse keys rotate --emergency --account ${subdomain}\n\n`
  );
}

function many(keys: readonly KeyStanding[]): Answer {
  const json = keys.map(({ kid, alg, state, publishedAt, signsFrom, retiresAt }) => ({
    kid,
    alg,
    state,
    published_at: isoTime(publishedAt),
    signs_from: isoTime(signsFrom),
    retires_at: isoTime(retiresAt),
  }));
  return {
    json,
    text: table(
      ['kid', 'alg', 'state', 'published', 'signs from', 'retires'],
      json.map((key) => Object.values(key)),
    ),
  };
}

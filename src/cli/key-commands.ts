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
      withAccount(options.account, async (services, account) =>
        many(await rotateKeys(services, account, { emergency: options.emergency === true })),
      ),
  )
    .requiredOption('--account <subdomain>', 'the account')
    .option('--emergency', 'the keys are compromised: sign with new ones at once and withdraw the old ones');
  addCommand<{ account: string }>(group, 'list', 'list all keys with their state', outlet, ({ options }) =>
    withAccount(options.account, async (services, account) => many(await listKeys(services, account))),
  ).requiredOption('--account <subdomain>', 'the account');
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

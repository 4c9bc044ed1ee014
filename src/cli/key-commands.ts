import type { Command } from 'commander';
import { rotateKeys } from '../domain/keys/rotate-keys.ts';
import { type KeyStanding, listKeys } from '../domain/keys/signing-keys.ts';
import { type Answer, accountOption, addCommand, addGroup, type OfAccount, type Outlet } from './command.ts';
import { addYesOption, type Confirmable, confirm } from './confirm.ts';
import { isoTime, table } from './output.ts';
import { withAccount } from './session.ts';

interface RotateOptions extends Confirmable {
  readonly account: string;
  readonly emergency?: true;
}

export function addKeyCommands(program: Command, outlet: Outlet): void {
  const group = addGroup(program, 'keys', 'keys that sign id tokens');
  const rotate = addCommand<RotateOptions>(
    group,
    'rotate',
    'publish the next keys; they start to sign a day later',
    outlet,
    ({ options }) =>
      withAccount(options.account, async (services, account) => {
        const emergency = options.emergency === true;
        if (emergency) await confirm('id tokens that the present keys signed stop verifying', options);
        return rotated(await rotateKeys(services, account, { emergency }));
      }),
  )
    .requiredOption(...accountOption)
    .option('--emergency', 'the keys are compromised: sign with new ones at once and withdraw the old ones');
  addYesOption(rotate);
  addCommand<OfAccount>(group, 'list', 'list all keys with their state', outlet, ({ options }) =>
    withAccount(options.account, async (services, account) => many(await listKeys(services, account))),
  ).requiredOption(...accountOption);
}

/** The keys, and for each algorithm whether something was done. */
function rotated({ keys, published }: Awaited<ReturnType<typeof rotateKeys>>): Answer {
  const { json, text } = many(keys);
  const waiting = keys.filter(({ kid, state }) => state === 'next' && !published.includes(kid));
  const told = [
    ...keys.filter(({ kid }) => published.includes(kid)).map((key) => `${key.alg}: ${newKey(key)}`),
    ...waiting.map((key) => `${key.alg}: nothing was changed, because ${waitingKey(key)}`),
  ];
  return {
    json: { changed: published.length > 0, published, waiting: waiting.map(({ kid }) => kid), keys: json },
    text: `${text}\n${told.map((line) => `${line}\n`).join('')}`,
  };
}

function newKey({ kid, state, signsFrom }: KeyStanding): string {
  return state === 'next' ? `${kid} is published and signs from ${isoTime(signsFrom)}` : `${kid} signs from now on`;
}

function waitingKey({ kid, signsFrom }: KeyStanding): string {
  return `its next key ${kid} is published already and signs from ${isoTime(signsFrom)}`;
}

function many(keys: readonly KeyStanding[]): Answer & { readonly json: readonly unknown[] } {
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

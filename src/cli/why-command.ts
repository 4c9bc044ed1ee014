import type { Command } from 'commander';
import type { Account } from '../domain/accounts/account.ts';
import { listAccounts, requireAccount } from '../domain/accounts/accounts.ts';
import type { AuditedEvent } from '../domain/audit/list.ts';
import { Failure } from '../domain/failure.ts';
import { foldIdentifier } from '../domain/users/identifiers.ts';
import { readReference, type Story, tellReference } from '../domain/why/story.ts';
import { tellUser } from '../domain/why/user.ts';
import type { Explained } from '../domain/why/words.ts';
import type { Services } from '../services.ts';
import type { ClientRecord } from '../store/clients.ts';
import type { UserRecord } from '../store/users.ts';
import { type Answer, addCommand, type Outlet, readId } from './command.ts';
import { fields, isoTime } from './output.ts';
import { withServices } from './session.ts';

interface WhyOptions {
  readonly account?: string;
  readonly app?: string;
}

export function addWhyCommand(program: Command, outlet: Outlet): void {
  addCommand<WhyOptions>(
    program,
    'why <reference-or-user>',
    'tell why a sign-in was refused, and what to do',
    outlet,
    ({ args: [subject], options }) =>
      withServices(async (services): Promise<Answer> => {
        const text = String(subject);
        const reference = readReference(text);
        const { account: subdomain } = options;
        const accounts =
          subdomain === undefined ? await listAccounts(services) : [await requireAccount(services, subdomain)];
        if (reference !== null) return whyReference(services, accounts, reference);
        return whyUser(services, accounts, text.trim().toLowerCase(), options);
      }),
  )
    .option('--account <subdomain>', 'the account; all of them by default')
    .option('--app <app_id>', 'with a user: the app that they want to use');
}

async function whyReference(services: Services, accounts: readonly Account[], text: string): Promise<Answer> {
  for (const account of accounts) {
    const found = await tellReference(services, account, text);
    if (!found) continue;
    const { story, events } = found;
    const json = { account: account.subdomain, ...representStory(story), events: events.map(representEvent) };
    const trail = events.map(({ id, action }) => `${id} ${action}`);
    return { json, text: fields({ account: account.subdomain, ...wordsOf(story), events: trail }) };
  }
  const message =
    'nothing is kept of this reference: that is so of pages after a day, of refused calls of programs (such as a code ' +
    'exchange), and of requests beyond what is kept, unless the trail has an event of them; the log lines with this ' +
    'requestId say what happened';
  throw new Failure('not_found', { message });
}

async function whyUser(
  services: Services,
  accounts: readonly Account[],
  text: string,
  { app }: WhyOptions,
): Promise<Answer> {
  const { account, user } = await requireUser(services, accounts, text);
  const client = app === undefined ? null : await requireApp(services, account, readId('app', app));
  const { status, now, before } = await tellUser(services, account, user, client);
  const about = { account: account.subdomain, user_id: user.id, status };
  const causes = now.map(({ cause }) => cause).join(' ');
  const head = fields({ ...about, 'would refuse now': causes || 'nothing that is known (hooks are not asked)' });
  const parts = [head, ...now.map((one) => fields(onlyWords(one))), ...before.map((one) => fields(wordsOf(one)))];
  return { json: { ...about, now: now.map(onlyWords), before: before.map(representStory) }, text: parts.join('\n') };
}

/** The user with this name in one of the accounts. Throws `not_found`, `value_invalid` when several have one. */
async function requireUser({ store }: Services, accounts: readonly Account[], name: string) {
  const key = foldIdentifier(name);
  const found: { account: Account; user: UserRecord }[] = [];
  for (const account of accounts) {
    const user = key === null ? null : await store.users.findByName(account.id, key);
    if (user) found.push({ account, user });
  }
  const [one] = found;
  if (!one) {
    const message = `there is no user ${name}: give the reference that the page shows, or the e-mail address or user name of somebody`;
    throw new Failure('not_found', { name: 'user', message });
  }
  if (found.length === 1) return one;
  const names = found.map(({ account }) => account.subdomain).join(', ');
  const message = `several accounts have a user ${name} (${names}): choose one with --account`;
  throw new Failure('value_invalid', { name: 'account', message });
}

async function requireApp({ store }: Services, account: Account, appId: number): Promise<ClientRecord> {
  const client = await store.clients.findByApp(account.id, appId);
  if (client) return client;
  throw new Failure('not_found', { name: 'app', message: `there is no app ${appId}` });
}

function onlyWords({ cause, remedy }: Explained) {
  return { cause, remedy };
}

function representStory({ at, source, reference: id, ...words }: Story) {
  return { reference: id, at: isoTime(at), source, ...onlyWords(words) };
}

function wordsOf(story: Story) {
  const { cause, remedy, ...where } = representStory(story);
  return { ...where, why: cause, remedy };
}

function representEvent({ id, action, detail }: AuditedEvent) {
  return { id, action, detail };
}

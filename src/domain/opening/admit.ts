/** The final check before anything is opened: is the evidence still valid, and is no other step due? */

import type { Services } from '../../services.ts';
import type { LinkedServer } from '../../store/authorization-servers.ts';
import type { ClientRecord } from '../../store/clients.ts';
import type { PolicyRecord } from '../../store/policies.ts';
import type { SessionRecord } from '../../store/sessions.ts';
import type { StoreVerbs } from '../../store/store.ts';
import type { UserRecord } from '../../store/users.ts';
import type { Account } from '../accounts/account.ts';
import { isConsole } from '../clients/console-client.ts';
import { isUnstored } from '../clients/document-client.ts';
import { decidedBy } from '../clients/document-metadata.ts';
import { isDocumentId } from '../clients/document-url.ts';
import type { Failure } from '../failure.ts';
import { type Due, findDue, lacksSecondFactor, type Way } from '../login/due.ts';
import { isOwnPages } from '../login/own-pages.ts';
import { isLive } from '../login/sessions.ts';
import { findStandingFailure } from '../login/standing.ts';
import { once } from '../once.ts';
import { effectivePolicy } from '../policies/effective-policy.ts';
import { serversOf } from '../tokens/audience.ts';
import { type Evidence, methodsOf } from './evidence.ts';
import { isStillTrue, type TruthServices } from './still-true.ts';

declare const admission: unique symbol;

interface Admission<Session> {
  readonly at: 'end';
  /** Read again and locked until the transaction ends. */
  readonly user: UserRecord;
  /** The user's own session, read again; null if the evidence does not include a session. */
  readonly session: Session;
  /** The app, read again. */
  readonly client: ClientRecord;
  /** The policy in force for this sign-in. */
  readonly policy: PolicyRecord;
  /** The servers of the app: those that an approval was checked against, if it was. */
  readonly servers: () => Promise<readonly LinkedServer[]>;
  readonly [admission]: true;
}

/**
 * A user for whom something may be opened in this transaction only; the value must not leave it. Only `admit` makes
 * one. Whatever is opened is opened for its user, session and app.
 */
export type Admitted<Session extends SessionRecord | null = SessionRecord | null> = Session extends unknown
  ? Admission<Session>
  : never;

/** The session that belongs to the evidence. */
type SessionOf<Shown> = Shown extends { readonly session: infer Session extends SessionRecord | null } ? Session : null;

/** Nothing may be opened. */
export type Halted =
  /** The user's standing or missing access to the app prevents it. */
  | { readonly at: 'refused'; readonly user: UserRecord; readonly failure: Failure }
  /** The evidence is no longer valid: another password, a removed passkey, an ended session, a deleted app. */
  | { readonly at: 'outdated' };

/** Another step comes first. */
export interface Waiting {
  readonly at: Exclude<Due['due'], 'nothing' | 'refused'>;
  readonly user: UserRecord;
  readonly policy: PolicyRecord;
}

export type Verdict<Session extends SessionRecord | null = SessionRecord | null> = Admitted<Session> | Waiting | Halted;

/**
 * Reads the user (locked until the transaction ends) and the app again and checks everything against the current state:
 * password, passkey or session, what an approval depends on, a sign-out everywhere, standing, access, the policy of
 * user and app, second factors, password age. Time passes between the first check and this one, in the queue of hashes
 * and in the hooks, and changes made meanwhile count. Must be called before the transaction locks anything else: the
 * user is locked first everywhere.
 */
export async function admit<Shown extends Evidence>(
  { clock }: Pick<Services, 'clock'>,
  tx: StoreVerbs,
  account: Account,
  evidence: Shown,
  way: Way,
): Promise<Verdict<SessionOf<Shown>>> {
  const user = await tx.users.lock(account.id, evidence.user.id);
  const session = user && (await findShownSession({ clock }, tx, account, evidence, user));
  const client = await readAgain(tx, way.client);
  if (!user || session === undefined || !client) return { at: 'outdated' };
  // Read at most once: what is opened is for no server that was linked after the check.
  const servers = once(() => serversOf({ store: tx }, client, { serverId: way.serverId ?? null }));
  const verdict = await judge({ store: tx, clock }, account, evidence, { ...way, client }, user, servers);
  if (verdict.at !== 'end') return verdict;
  return { at: 'end', user, session, client, policy: verdict.policy, servers } as Admitted<SessionOf<Shown>>;
}

/**
 * The current app; null if it was deleted. The account pages and the console are not apps, nor is what nobody has agreed to yet. What
 * a client's document decides is as it was read before: the row may say what another user agreed to.
 */
async function readAgain({ clients }: Pick<StoreVerbs, 'clients'>, client: ClientRecord): Promise<ClientRecord | null> {
  if (isOwnPages(client) || isConsole(client)) return client;
  const found = await clients.find(client.accountId, client.clientId);
  if (!found) return isUnstored(client) ? client : null;
  return isDocumentId(client.clientId) ? { ...found, ...decidedBy(client) } : found;
}

type Judged = { readonly at: 'end'; readonly policy: PolicyRecord } | Waiting | Halted;

async function judge(
  services: TruthServices,
  account: Account,
  evidence: Evidence,
  way: Way,
  user: UserRecord,
  servers: Admission<null>['servers'],
): Promise<Judged> {
  if (!(await isStillTrue(services, account, evidence, way, user, servers))) return { at: 'outdated' };
  switch (evidence.by) {
    case 'code':
    case 'device_code':
    case 'token':
    case 'session': {
      const failure = await findStandingFailure(services.store, account, user, way.client);
      if (failure) return { at: 'refused', user, failure };
      const policy = await effectivePolicy(services, account, user, way.client);
      if (evidence.by !== 'session') return { at: 'end', policy };
      const lacks = await lacksSecondFactor(services, account, way, user, evidence.session.amr, async () => policy);
      return lacks ? { at: 'outdated' } : { at: 'end', policy };
    }
    default: {
      const found = await findDue(services, account, way, user, methodsOf(evidence));
      if (found.due === 'refused') return { at: 'refused', user, failure: found.failure };
      const { policy } = found;
      return found.due === 'nothing' ? { at: 'end', policy } : { at: found.due, user, policy };
    }
  }
}

/** The presented session, read again; null if the evidence has none; undefined if it has ended or is another user's. */
async function findShownSession(
  { clock }: Pick<Services, 'clock'>,
  tx: Pick<StoreVerbs, 'sessions'>,
  account: Account,
  evidence: Evidence,
  user: UserRecord,
): Promise<SessionRecord | null | undefined> {
  if (!('session' in evidence) || evidence.session === null) return null;
  const session = await tx.sessions.find(account.id, evidence.session.digest);
  return session?.userId === user.id && isLive(session, clock.now()) ? session : undefined;
}

/**
 * Requests that can be repeated when their answer was lost (`Idempotency-Key`, draft-ietf-httpapi-idempotency-key-header).
 *
 * The key is looked up first: a repeated request costs one read. It is claimed right before the first transaction of the
 * work, in a short one of its own, so that a request which is refused writes nothing, and no two requests do the work.
 * The transaction of the work notes that it is done: a crash leaves either a claim that ends, or work that is never done
 * again. The answer is kept right after.
 */

import type { Services } from '../services.ts';
import type { KeptAnswerRecord } from '../store/kept-answers.ts';
import type { Store } from '../store/store.ts';
import type { Account } from './accounts/account.ts';
import { type Allowance, createAllowance } from './allowance.ts';
import { stackOf } from './describe.ts';
import { day, hour, minute } from './durations.ts';
import { Failure } from './failure.ts';
import { sealingKey, sealText, unsealText } from './keys/sealing.ts';
import { perKey } from './per-key.ts';

/** How long a key is known. */
const keptMilliseconds = day;
/** How long a request may take until another one with its key may do the work; its own is undone then. */
const claimMilliseconds = minute;
/** Keys of a caller; beyond this the oldest are forgotten. */
const mostKept = 10_000;
/** Characters of a sealed answer; a longer one is not kept. */
const longestAnswer = 262_144;
/**
 * Characters of sealed answers that an account keeps in an hour with each process: answers lie on everybody's disk for a
 * day. Of what is more the work is known to be done, and the answer is not.
 */
const mostAnsweredInHour = 100_000_000;
/** By vault, of which a process has one. */
const answered = perKey<Services['vault'], Allowance>(() => createAllowance(hour));
const beingServed = 'A request with this Idempotency-Key is being served';

export interface RepeatableRequest {
  readonly account: Account;
  /** Who asks, however the request shows it. */
  readonly caller: string;
  /** As sent. */
  readonly key: string;
  /** Everything that the answer depends on: operation, parameters and body. */
  readonly request: string;
}

/** An answer as JSON keeps it. */
interface Answer {
  readonly status: number;
  readonly body: unknown;
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
}

type Needed = Pick<Services, 'store' | 'clock' | 'random' | 'vault' | 'log'>;

/**
 * Does the work once for each key: a repeated request gets the first one's answer. Throws `key_reused` for another
 * request with the key, `key_in_use` while the first one is being served and when its answer is not known. Work that
 * fails gives the key back. Two requests at once may both begin; all that the work changes, it changes in transactions.
 */
export async function answerOnce<Given extends Answer>(
  services: Needed,
  repeatable: RepeatableRequest,
  work: (store: Store) => Promise<Given>,
): Promise<Answer> {
  const { store, clock } = services;
  const record = newRecord(services, repeatable);
  const known = await findAnswer(services, repeatable, record);
  if (known) return known;
  let claimed = false;
  const claim = async (wanted: KeptAnswerRecord): Promise<void> => {
    if (claimed) return;
    // True as well when the database's answer is lost: then the key is given back.
    claimed = true;
    claimed = await store.keptAnswers.claim(wanted, clock.now());
    if (!claimed) throw inUse(beingServed);
  };
  try {
    const answer = await work(claiming(store, record, () => claim(record)));
    const sealed = seal(services, repeatable, record, answer);
    const sealedAnswer = mayKeep(services, repeatable, sealed) ? sealed : null;
    if (claimed) await keep(services, record, sealedAnswer);
    // The work changed nothing: it can be done again if its answer is not kept.
    else if (sealedAnswer !== null) await claim({ ...record, isDone: true, sealedAnswer });
    // One in 64, so that keeping is one statement.
    if (record.digest.startsWith('A')) await trim(services, record);
    return answer;
  } catch (error) {
    if (claimed) await release(services, record);
    // The reason may be what the first request has done meanwhile, such as a name that is taken.
    const first = claimed ? null : await findAnswer(services, repeatable, record);
    if (first) return first;
    throw error;
  }
}

function mayKeep({ vault, clock }: Needed, { account }: RepeatableRequest, { length }: string): boolean {
  return length <= longestAnswer && answered(vault).take(account.id, length, mostAnsweredInHour, clock.now());
}

/** The work is done and has its answer, even if a repeated request will not. */
function keep({ store, log }: Needed, record: KeptAnswerRecord, sealedAnswer: string | null): Promise<void> {
  return tolerate(log, 'an answer was not kept', store.keptAnswers.keep(record, sealedAnswer));
}

/** If this fails the claim ends by itself. */
function release({ store, log }: Needed, record: KeptAnswerRecord): Promise<void> {
  return tolerate(log, 'an idempotency key was not given back', store.keptAnswers.release(record));
}

function trim({ store, log }: Needed, { accountId, caller }: KeptAnswerRecord): Promise<void> {
  return tolerate(log, 'kept answers were not trimmed', store.keptAnswers.trim(accountId, caller, mostKept));
}

async function tolerate(log: Services['log'], message: string, writing: Promise<void>): Promise<void> {
  try {
    await writing;
  } catch (error) {
    log.error(message, { stack: stackOf(error) });
  }
}

function newRecord({ clock, random, vault }: Needed, { account, caller, key, request }: RepeatableRequest) {
  const mac = (purpose: string, text: string) => vault.mac(account.record, purpose, text).toString('base64url');
  const now = clock.now();
  return {
    accountId: account.id,
    digest: mac('idempotency key', `${caller} ${key}`),
    caller: mac('idempotent caller', caller),
    // With the key, which is not stored: a body may have a password, which could be guessed otherwise.
    requestDigest: mac('idempotent request', JSON.stringify([caller, key, request])),
    claim: random.bytes(16).toString('base64url'),
    claimedUntil: now + claimMilliseconds,
    isDone: false,
    sealedAnswer: null,
    createdAt: now,
    expiresAt: now + keptMilliseconds,
  } satisfies KeptAnswerRecord;
}

/**
 * The same store, which claims the key before the first transaction. What a transaction does is done only as long as
 * the key is still claimed.
 */
function claiming(store: Store, record: KeptAnswerRecord, claim: () => Promise<void>): Store {
  const transaction: Store['transaction'] = async (work) => {
    await claim();
    return store.transaction(async (tx) => {
      const result = await work(tx);
      if (await tx.keptAnswers.markDone(record)) return result;
      throw inUse('The request took too long, and another one with this Idempotency-Key has begun');
    });
  };
  // Otherwise a batch of registrations has its transaction.
  const register: Store['clients']['register'] = ({ client, eventOf }) =>
    transaction(async (tx) => {
      const created = await tx.clients.create(client);
      await tx.events.append(eventOf(created.appId));
      return created;
    });
  return { ...store, clients: { ...store.clients, register }, transaction };
}

/** The answer of an earlier request with the key, or null when the key is free. Throws as `answerOnce` does. */
async function findAnswer(
  services: Needed,
  repeatable: RepeatableRequest,
  { accountId, digest, requestDigest }: KeptAnswerRecord,
): Promise<Answer | null> {
  const now = services.clock.now();
  const kept = await services.store.keptAnswers.find(accountId, digest, now);
  if (!kept) return null;
  if (kept.requestDigest !== requestDigest) {
    const message = 'Idempotency-Key was used for another request';
    throw new Failure('key_reused', { name: 'Idempotency-Key', message });
  }
  if (kept.sealedAnswer !== null) return unseal(services, repeatable, kept, kept.sealedAnswer);
  // Work that has just been done may still be answered.
  const isLost = kept.isDone && kept.claimedUntil <= now;
  throw inUse(isLost ? 'The request was carried out, but its answer is not known' : beingServed);
}

function inUse(message: string): Failure {
  return new Failure('key_in_use', { name: 'Idempotency-Key', message });
}

/**
 * The key under which an answer is sealed: of the account's key and of the request, so that neither the database and the
 * master key nor a request with a guessed body opens an answer alone.
 */
function keyOf({ vault }: Needed, { account, caller, key, request }: RepeatableRequest) {
  return sealingKey(vault.mac(account.record, 'idempotent answer', JSON.stringify([caller, key, request])));
}

function placeOf({ accountId, digest }: KeptAnswerRecord): string {
  return `kept_answers|sealed_answer|${accountId}|${digest}`;
}

function seal(services: Needed, repeatable: RepeatableRequest, record: KeptAnswerRecord, answer: Answer): string {
  const { status, body, headers } = answer;
  const text = Buffer.from(JSON.stringify({ status, body, headers }));
  return sealText(keyOf(services, repeatable), services.random, placeOf(record), text);
}

function unseal(services: Needed, repeatable: RepeatableRequest, kept: KeptAnswerRecord, sealed: string): Answer {
  return JSON.parse(unsealText(keyOf(services, repeatable), placeOf(kept), sealed).toString('utf8'));
}

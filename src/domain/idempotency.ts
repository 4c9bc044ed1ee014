/**
 * Requests that can be repeated when their answer was lost (`Idempotency-Key`, draft-ietf-httpapi-idempotency-key-header).
 * The key is claimed in a short transaction of its own before the work, so that a second request never begins the work,
 * and nothing waits for it. The transaction of the work notes that it is done: what a crash leaves is either a claim
 * that ends, or work that is never done again. The answer is kept right after.
 */

import type { Services } from '../services.ts';
import type { KeptAnswerRecord } from '../store/kept-answers.ts';
import type { Store } from '../store/store.ts';
import type { Account } from './accounts/account.ts';
import { day, minute } from './durations.ts';
import { Failure } from './failure.ts';
import { sealingKey, sealText, unsealText } from './keys/sealing.ts';

/** How long a key is known. */
const keptMilliseconds = day;
/** How long a request may take until another one with its key may begin: longer than the server lets one take. */
const claimMilliseconds = 5 * minute;
/** Keys of a caller; beyond this the oldest are forgotten. */
const mostKept = 10_000;
/** Characters of a sealed answer; a longer one is not kept. */
const longestAnswer = 131_072;

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
 * request with the key, `key_in_use` while the first one is served and when its answer is not known. Work that fails
 * gives the key back.
 */
export async function answerOnce<Given extends Answer>(
  services: Needed,
  repeatable: RepeatableRequest,
  work: (store: Store) => Promise<Given>,
): Promise<Answer> {
  const { store, clock } = services;
  const record = newRecord(services, repeatable);
  const kept = await store.keptAnswers.claim(record, clock.now());
  if (kept) return answerOf(services, repeatable, record, kept);
  if (record.digest.startsWith('A')) await store.keptAnswers.trim(record.accountId, record.caller, mostKept);
  const answer = await work(marking(store, record)).catch(async (error: unknown) => {
    await store.keptAnswers.release(record);
    throw error;
  });
  const sealed = seal(services, repeatable, record, answer);
  if (sealed.length <= longestAnswer) await keep(services, record, sealed);
  return answer;
}

/** The work is done and has its answer, even if a repeated request will not. */
async function keep({ store, log }: Needed, record: KeptAnswerRecord, sealed: string): Promise<void> {
  try {
    await store.keptAnswers.keep(record, sealed);
  } catch (error) {
    const stack = error instanceof Error ? (error.stack ?? error.message) : 'not an error';
    log.error('an answer was not kept', { stack });
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

/** The same store; whatever its transactions do is done only as long as the key is still claimed. */
function marking(store: Store, record: KeptAnswerRecord): Store {
  const transaction: Store['transaction'] = (work) =>
    store.transaction(async (tx) => {
      const result = await work(tx);
      if (await tx.keptAnswers.markDone(record)) return result;
      throw inUse('A request with this Idempotency-Key took too long and has been replaced');
    });
  const register: Store['clients']['register'] = ({ client, eventOf }) =>
    transaction(async (tx) => {
      const created = await tx.clients.create(client);
      await tx.events.append(eventOf(created.appId));
      return created;
    });
  return { ...store, clients: { ...store.clients, register }, transaction };
}

function answerOf(
  services: Needed,
  repeatable: RepeatableRequest,
  { requestDigest }: KeptAnswerRecord,
  kept: KeptAnswerRecord,
): Answer {
  if (kept.requestDigest !== requestDigest) {
    const message = 'Idempotency-Key was used for another request';
    throw new Failure('key_reused', { name: 'Idempotency-Key', message });
  }
  if (kept.sealedAnswer !== null) return unseal(services, repeatable, kept, kept.sealedAnswer);
  if (kept.isDone) throw inUse('The request with this Idempotency-Key was carried out; its answer is not known');
  throw inUse('A request with this Idempotency-Key is being served');
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

/**
 * Conditional writes (RFC 9110 §13.1.1). A resource's entity tag is derived from what its `GET` answers, so that it
 * changes with every member. A write with `If-Match` runs the same `GET` at the beginning of its own transaction, on
 * the locked row: nothing can come between the comparison and the write.
 */

import { createHash } from 'node:crypto';
import { Failure } from '../domain/failure.ts';
import type { Contract, ContractOperation } from './contract.ts';
import type { Reply, Request, RunOver, Store } from './operation.ts';

type StoreVerbs = Parameters<Parameters<Store['transaction']>[0]>[0];

/** By operation that reads one resource: what is locked. The last parameter of the path is its key. */
export type ResourceKinds<Operations> = Readonly<
  Partial<Record<keyof Operations & string, Parameters<Store['resources']['findLocked']>[1]>>
>;

interface Conditional<Operations> {
  readonly contract: Contract;
  readonly resourceKinds?: ResourceKinds<Operations>;
}

/** The strong entity tag of a JSON representation: 128 bits of its digest. */
export function entityTag(json: string): string {
  return `"${createHash('sha256').update(json).digest('base64url').slice(0, 22)}"`;
}

/** The strong tags of a valid `If-Match`; null for `*`. Weak ones never match. */
function readTags(field: string): ReadonlySet<string> | null {
  if (field === '*') return null;
  const tags = field.match(/(W\/)?"[^"]*"/g) ?? [];
  return new Set(tags.filter((tag) => !tag.startsWith('W/')));
}

/**
 * For each operation with a documented 412, the one that reads its resource: the `GET` of its path, or the one that it
 * names. Throws when there is none, or when the surface does not name the kind of the resource.
 */
function readReaders({ paths }: Contract, kinds: Readonly<Record<string, unknown>>): ReadonlyMap<string, string> {
  const readers = new Map<string, string>();
  for (const item of Object.values(paths)) {
    const own = (item['get'] as ContractOperation | undefined)?.operationId;
    for (const written of Object.values(item)) {
      const { operationId, responses, 'x-if-match': named } = written as ContractOperation;
      const reader = named ?? own;
      if (!responses || !('412' in responses)) continue;
      if (reader === undefined || !(reader in kinds)) throw new Error(`operation ${operationId} has no resource`);
      readers.set(operationId, reader);
    }
  }
  return readers;
}

/** Answers a request for a conditional write, or null for any other request. `store`: what the write goes to. */
type AnswerIfMatch = (
  operationId: string,
  request: Request<unknown>,
  store: Store,
  run: RunOver,
) => Promise<Reply<unknown>> | null;

/**
 * The conditional writes of a surface, run over a store that compares first. Their answer throws `precondition_failed`
 * besides what the write throws.
 */
export function prepareConditional<Operations>({
  contract,
  resourceKinds: kinds,
}: Conditional<Operations>): AnswerIfMatch {
  if (!kinds) return () => null;
  const readers = readReaders(contract, kinds);

  return (operationId, request, store, run) => {
    const field = request.headers['if-match'];
    const reader = readers.get(operationId);
    if (field === undefined || reader === undefined) return null;
    const { id: accountId } = request.origin.account;
    const kind = kinds[reader as keyof typeof kinds];
    const tags = readTags(field);

    const matches = async (tx: StoreVerbs): Promise<boolean> => {
      const key = String(Object.values(request.path).at(-1));
      if (kind) await tx.resources.findLocked(accountId, kind, key);
      const { body } = await run({ ...store, ...tx }, reader);
      return tags === null || tags.has(entityTag(JSON.stringify(body)));
    };
    return writeIf(store, matches, run);
  };
}

/**
 * Runs a write that is undone unless `matches` says yes at the beginning of its first transaction. Any other reason to
 * refuse the write comes first (RFC 9110 §13.2.1).
 */
async function writeIf(
  store: Store,
  matches: (tx: StoreVerbs) => Promise<boolean>,
  write: (store: Store) => Promise<Reply<unknown>>,
): Promise<Reply<unknown>> {
  let isCompared = false;
  const reply = await write({
    ...store,
    transaction: async (work) => {
      const result = await store.transaction(async (tx) => {
        const mayWrite = isCompared || (await matches(tx));
        const written = await work(tx);
        if (mayWrite) return written;
        throw new Failure('precondition_failed', {
          message: 'The resource was changed meanwhile; read it again and send its new ETag',
        });
      });
      isCompared = true;
      return result;
    },
  });
  if (!isCompared) throw new Failure('internal', { reason: 'a conditional write has no transaction' });
  return reply;
}

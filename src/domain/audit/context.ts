/**
 * The actor of the current request or command. Like its log lines it belongs to the whole request; otherwise it would
 * be an argument of every function between the surface and the transaction that records events.
 */

import { AsyncLocalStorage } from 'node:async_hooks';

/** `API`: a caller with an API key. */
export type ActorType = 'user' | 'client' | 'credential' | 'API' | 'command_line' | 'system';

/** The actor of an event. `id` is null for the command line, the service itself, and an unauthenticated user. */
export interface Actor {
  readonly type: ActorType;
  readonly id: number | null;
}

export interface AuditContext {
  /** Null where only the operation can tell: whose sign-in it is, which client authenticates. */
  readonly actor: Actor | null;
  /** The peer's address; null when there is none. */
  readonly source: string | null;
  readonly requestId: string | null;
  /** The User-Agent header; not recorded in the trail. */
  readonly userAgent?: string | undefined;
}

const current = new AsyncLocalStorage<AuditContext>();

/** The context of actions by the service itself. */
const ofTheService: AuditContext = { actor: { type: 'system', id: null }, source: null, requestId: null };

/** Runs `work`; events recorded by it name this actor. */
export function actAs<Result>(context: AuditContext, work: () => Result): Result {
  return current.run(context, work);
}

export function currentAuditContext(): AuditContext {
  return current.getStore() ?? ofTheService;
}

/**
 * On whose behalf the program is at work. It belongs to a whole request or command, as its log lines do, and would
 * else be an argument of every function between the door and the transaction that tells of it.
 */

import { AsyncLocalStorage } from 'node:async_hooks';

/** `API` is whoever calls with an API key. */
export type ActorType = 'user' | 'client' | 'credential' | 'API' | 'command_line' | 'system';

/** Who does something. `id` is null for the command line, the service itself, and a user who did not show who they are. */
export interface Actor {
  readonly type: ActorType;
  readonly id: number | null;
}

export interface AuditContext {
  /** Null where only the operation knows: whose sign-in it is, which client shows its secret. */
  readonly actor: Actor | null;
  /** Address of the peer; null when there is none. */
  readonly source: string | null;
  readonly requestId: string | null;
  /** What the program that sent it says of itself (User-Agent); not told of by the trail. */
  readonly userAgent?: string | undefined;
}

const current = new AsyncLocalStorage<AuditContext>();

/** What the service does by itself. */
const ofTheService: AuditContext = { actor: { type: 'system', id: null }, source: null, requestId: null };

/** Runs `work`; events recorded by it name who acts by this. */
export function actAs<Result>(context: AuditContext, work: () => Result): Result {
  return current.run(context, work);
}

export function currentAuditContext(): AuditContext {
  return current.getStore() ?? ofTheService;
}

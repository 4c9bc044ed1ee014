import type { Actor } from '../audit/context.ts';
import type { LimitSubject } from '../limits.ts';

/** The caller of the management API: a credential by a bearer token, or an administrator at the console. */
export interface Caller {
  readonly accountId: number;
  /** As the trail names the caller. */
  readonly actor: Actor & { readonly type: 'credential' | 'user'; readonly id: number };
  /** What the caller's calls count by. */
  readonly limitedBy: LimitSubject;
  readonly scopes: readonly string[];
}

/** The meaning of a function's answer. Other members are ignored. */

/** The answer of a pre-authentication. */
export type PolicyAnswer =
  | { readonly says: 'keep' }
  | { readonly says: 'choose'; readonly policyId: number }
  | { readonly says: 'refuse' };

type Members = Readonly<Record<string, unknown>>;

/** The parsed JSON of an answer; undefined when it is malformed. */
export function parseAnswer(json: string): unknown {
  try {
    return JSON.parse(json, (name, value) => (name === '__proto__' ? undefined : value));
  } catch {
    return undefined;
  }
}

export function isObject(value: unknown): value is Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Own members only: what an object inherits from its prototype is not part of the answer. */
export function member(value: Members, name: string): unknown {
  return Object.hasOwn(value, name) ? value[name] : undefined;
}

/** Null when it is meaningless; `policyIds` are those of the account. */
export function readPolicyAnswer(value: unknown, policyIds: Pick<ReadonlySet<number>, 'has'>): PolicyAnswer | null {
  if (value === null) return { says: 'keep' };
  if (!isObject(value)) return null;
  const success = member(value, 'success') ?? true;
  if (typeof success !== 'boolean') return null;
  if (!success) return { says: 'refuse' };
  const user = member(value, 'user') ?? {};
  if (!isObject(user)) return null;
  const policyId = member(user, 'policy_id') ?? null;
  if (policyId === null) return { says: 'keep' };
  return typeof policyId === 'number' && policyIds.has(policyId) ? { says: 'choose', policyId } : null;
}

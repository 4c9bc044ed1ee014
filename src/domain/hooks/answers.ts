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

/** An answer that means nothing. */
export interface InvalidAnswer {
  readonly says: 'invalid';
  /** What is wrong with it, for those who write the function; without a value, which may be a secret. */
  readonly fault: string;
}

export function isInvalid(answer: object): answer is InvalidAnswer {
  return 'says' in answer && answer.says === 'invalid';
}

export function faulty(fault: string): InvalidAnswer {
  return { says: 'invalid', fault };
}

export const malformed = faulty('the answer cannot be read as JSON');

/** `<name> is a string`, and the like. */
export function wrongKind(name: string, value: unknown): InvalidAnswer {
  return faulty(`${name} is ${kindOf(value)}`);
}

function kindOf(value: unknown): string {
  if (value === undefined) return 'missing';
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'a list';
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`;
}

/** `policyIds` are those of the account. */
export function readPolicyAnswer(
  value: unknown,
  policyIds: Pick<ReadonlySet<number>, 'has'>,
): PolicyAnswer | InvalidAnswer {
  if (value === null) return { says: 'keep' };
  if (!isObject(value)) return wrongKind('the answer', value);
  const success = member(value, 'success') ?? true;
  if (typeof success !== 'boolean') return wrongKind('success', success);
  if (!success) return { says: 'refuse' };
  const user = member(value, 'user') ?? {};
  if (!isObject(user)) return wrongKind('user', user);
  const policyId = member(user, 'policy_id') ?? null;
  if (policyId === null) return { says: 'keep' };
  if (typeof policyId !== 'number') return wrongKind('policy_id', policyId);
  return policyIds.has(policyId)
    ? { says: 'choose', policyId }
    : faulty(`policy_id ${policyId}: the account has no such policy`);
}

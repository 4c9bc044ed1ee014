/**
 * What clients saw of refresh tokens, held against the rule (RFC 6749 §6, RFC 9700 §4.14.2): one successor for each
 * token; within the grace its retries get the same one, until the successor is used; anything older ends the family;
 * of an ended family, be it revoked, no token is accepted. Times are milliseconds of one clock.
 *
 * A call takes effect at some moment between its start and its answer; the checker reports only what no choice of those
 * moments explains.
 */

/** One call of a token endpoint with a refresh token, or of the revocation endpoint. */
export interface TokenCall {
  readonly client: string;
  readonly sent: string;
  /** The refresh token of a success; null when refused or when no answer came. */
  readonly got: string | null;
  /** `revoked`: the revocation of this token was answered with success (RFC 7009 §2.2). */
  readonly outcome: 'success' | 'refused' | 'no answer' | 'revoked';
  readonly calledAt: number;
  /** When the answer was complete; without one, when the server was dead and could not act on the call any more. */
  readonly answeredAt: number;
}

export interface HistoryRule {
  readonly graceMilliseconds: number;
}

/** What a breach of the rule is to the client that meets it, in the words of every report. */
export const breachKinds = [
  'tokens with two successors',
  'accepted after revocation',
  'families wrongly revoked',
  'sessions lost',
] as const;

export type BreachKind = (typeof breachKinds)[number];

export interface Breach {
  readonly kind: BreachKind;
  /** One sentence. */
  readonly text: string;
}

/** Every breach of the rule; empty when the history is explained. */
export function findBreaches(history: readonly TokenCall[], rule: HistoryRule): Breach[] {
  const families = familiesOf(history);
  return [
    ...branches(history),
    ...families.flatMap((family) => wrongRefusals(family, rule)),
    ...families.flatMap(acceptedAfterTheEnd),
  ];
}

/** How many breaches of each kind, named as every report names them. */
export function countBreaches(breaches: readonly Breach[]): Record<BreachKind, number> {
  const count = (kind: BreachKind) => breaches.filter((breach) => breach.kind === kind).length;
  return Object.fromEntries(breachKinds.map((kind) => [kind, count(kind)])) as Record<BreachKind, number>; // Each kind.
}

/** Calls of tokens that follow from each other. */
function familiesOf(history: readonly TokenCall[]): TokenCall[][] {
  const parents = new Map<string, string>();
  function rootOf(token: string): string {
    let root = token;
    for (let above = parents.get(root); above !== undefined; above = parents.get(root)) root = above;
    // Chains grow long: the next search from here is one step.
    if (root !== token) parents.set(token, root);
    return root;
  }
  for (const { sent, got } of history) {
    if (got === null) continue;
    const [below, above] = [rootOf(got), rootOf(sent)];
    if (below !== above) parents.set(below, above);
  }
  return [...Map.groupBy(history, ({ sent }) => rootOf(sent)).values()];
}

function branches(history: readonly TokenCall[]): Breach[] {
  const successors = new Map<string, Set<string>>();
  for (const { sent, got } of history) {
    if (got !== null) successors.set(sent, (successors.get(sent) ?? new Set()).add(got));
  }
  return [...successors]
    .filter(([, got]) => got.size > 1)
    .map(([sent, got]) => ({
      kind: 'tokens with two successors',
      text: `${name(sent)} has ${got.size} successors: ${[...got].map(name).join(', ')}`,
    }));
}

/**
 * The first refusal that nothing explains: the family was not ended, and neither this call nor one before was a reuse.
 * What follows is refused for the same reason. A call without an answer before it: that one broke the session.
 */
function wrongRefusals(family: readonly TokenCall[], rule: HistoryRule): Breach[] {
  const refusals = family.filter(({ outcome }) => outcome === 'refused');
  if (refusals.length === 0) return [];
  const ends = family.filter((call) => call.outcome === 'revoked' || mayBeReuse(call, family, rule));
  const wrong = refusals.filter((refused) => !ends.some(({ calledAt }) => calledAt < refused.answeredAt));
  const first = wrong.toSorted((a, b) => a.answeredAt - b.answeredAt)[0];
  if (!first) return [];
  const { sent, calledAt } = first;
  const cutOff = family.some((call) => call.outcome === 'no answer' && call.calledAt < calledAt);
  return [
    {
      kind: cutOff ? 'sessions lost' : 'families wrongly revoked',
      text: `${name(sent)} was refused at ${Math.round(calledAt)} ms, and nobody reused or revoked a token`,
    },
  ];
}

/**
 * Whether a call may have come too late: after the grace since the earliest moment at which its token can have been
 * used, or after its successor was used.
 */
function mayBeReuse(call: TokenCall, family: readonly TokenCall[], { graceMilliseconds }: HistoryRule): boolean {
  if (call.outcome === 'revoked') return false;
  // A call without an answer may have used the token all the same.
  const used = family.filter(({ outcome }) => outcome === 'success' || outcome === 'no answer');
  const uses = used.filter(({ sent }) => sent === call.sent);
  const successors = new Set(uses.flatMap(({ got }) => got ?? []));
  const firstUse = earliest(uses);
  const successorUse = earliest(family.filter(({ sent, outcome }) => outcome !== 'revoked' && successors.has(sent)));
  return call.answeredAt > Math.min(firstUse + graceMilliseconds, successorUse);
}

/** Infinity when there is none. */
function earliest(calls: readonly TokenCall[]): number {
  return Math.min(...calls.map(({ calledAt }) => calledAt));
}

/**
 * Successes that were asked for after the family had ended: a refusal was answered (a refused reuse ends all of it), or
 * a revocation was.
 */
function acceptedAfterTheEnd(family: readonly TokenCall[]): Breach[] {
  const ends = family.filter(({ outcome }) => outcome === 'refused' || outcome === 'revoked');
  const ended = Math.min(...ends.map(({ answeredAt }) => answeredAt));
  return family
    .filter(({ outcome, calledAt }) => outcome === 'success' && calledAt > ended)
    .map(({ sent, calledAt }) => ({
      kind: 'accepted after revocation',
      text: `${name(sent)} was accepted at ${Math.round(calledAt)} ms, after its family ended`,
    }));
}

function name(token: string): string {
  return `…${token.slice(-6)}`;
}

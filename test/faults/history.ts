/**
 * What clients saw of refresh tokens, held against the rule (RFC 6749 §6, RFC 9700 §4.14.2): one successor for each
 * token; within the grace its retries get the same one, until the successor is used; anything older ends the family;
 * of an ended family no token is accepted. Times are milliseconds of one clock.
 *
 * A call takes effect at some moment between its start and its answer; the checker reports only what no choice of those
 * moments explains.
 */

/** One call of a token endpoint with a refresh token. */
export interface Exchange {
  readonly client: string;
  readonly sent: string;
  /** The refresh token of a success; null when refused or when no answer came. */
  readonly got: string | null;
  readonly outcome: 'success' | 'refused' | 'no answer';
  readonly calledAt: number;
  /** When the answer was complete; without one, when the server was dead and could not act on the call any more. */
  readonly answeredAt: number;
}

export interface HistoryRule {
  readonly graceMilliseconds: number;
}

/** One sentence for each breach of the rule; empty when the history is explained. */
export function findBreaches(history: readonly Exchange[], rule: HistoryRule): string[] {
  const families = familiesOf(history);
  return [
    ...branches(history),
    ...families.flatMap((family) => wrongRefusals(family, rule)),
    ...families.flatMap(acceptedAfterTheEnd),
  ];
}

/** Calls of tokens that follow from each other. */
function familiesOf(history: readonly Exchange[]): Exchange[][] {
  const root = new Map<string, string>();
  const rootOf = (token: string): string => {
    const parent = root.get(token) ?? token;
    return parent === token ? token : rootOf(parent);
  };
  for (const { sent, got } of history) if (got !== null) root.set(rootOf(got), rootOf(sent));
  return [...Map.groupBy(history, ({ sent }) => rootOf(sent)).values()];
}

/** Tokens with two successors. */
function branches(history: readonly Exchange[]): string[] {
  const successors = new Map<string, Set<string>>();
  for (const { sent, got } of history) {
    if (got !== null) successors.set(sent, (successors.get(sent) ?? new Set()).add(got));
  }
  return [...successors]
    .filter(([, got]) => got.size > 1)
    .map(([sent, got]) => `${name(sent)} has ${got.size} successors: ${[...got].map(name).join(', ')}`);
}

/** Refusals that nothing explains: the family was not ended and the call was no reuse. */
function wrongRefusals(family: readonly Exchange[], rule: HistoryRule): string[] {
  const refusals = family.filter(({ outcome }) => outcome === 'refused');
  if (refusals.length === 0) return [];
  const reuses = family.filter((call) => mayBeReuse(call, family, rule));
  return refusals
    .filter((refused) => !reuses.some(({ calledAt }) => calledAt < refused.answeredAt))
    .map(({ sent, calledAt }) => `${name(sent)} was refused at ${Math.round(calledAt)} ms, and nobody reused a token`);
}

/**
 * Whether a call may have come too late: after the grace since the earliest moment at which its token can have been
 * used, or after its successor was used.
 */
function mayBeReuse(call: Exchange, family: readonly Exchange[], { graceMilliseconds }: HistoryRule): boolean {
  // A call without an answer may have used the token all the same.
  const uses = family.filter(({ sent, outcome }) => sent === call.sent && outcome !== 'refused');
  const successors = new Set(uses.flatMap(({ got }) => got ?? []));
  const firstUse = earliest(uses);
  const successorUse = earliest(family.filter(({ sent }) => successors.has(sent)));
  return call.answeredAt > Math.min(firstUse + graceMilliseconds, successorUse);
}

/** Infinity when there is none. */
function earliest(calls: readonly Exchange[]): number {
  return Math.min(...calls.map(({ calledAt }) => calledAt));
}

/** Successes that were asked for after a refusal of the same family was answered: a refused reuse ends all of it. */
function acceptedAfterTheEnd(family: readonly Exchange[]): string[] {
  const ended = Math.min(...family.filter(({ outcome }) => outcome === 'refused').map(({ answeredAt }) => answeredAt));
  return family
    .filter(({ outcome, calledAt }) => outcome === 'success' && calledAt > ended)
    .map(({ sent, calledAt }) => `${name(sent)} was accepted at ${Math.round(calledAt)} ms, after its family ended`);
}

function name(token: string): string {
  return `…${token.slice(-6)}`;
}

/** Decides which waiting request of an account goes first, and which makes room, from the widest network down. */

import { type Competitor, type Path, sourceOf, standingOf } from './sources.ts';

interface Request {
  readonly path: Path;
}

/** The request to serve, given requests in order of arrival: the lowest standing, then the earliest arrival. */
export function findFirst<One extends Request>(requests: readonly One[]): One | undefined {
  return descend(requests, (groups) => {
    let lowest = Number.POSITIVE_INFINITY;
    let first: readonly One[] = [];
    for (const [competitor, group] of groups) {
      const tag = Math.min(...standingsOf(competitor, group));
      if (tag >= lowest) continue;
      lowest = tag;
      first = group;
    }
    return first;
  })[0];
}

/**
 * The request to turn away, given requests in order of arrival: the last of the source that would be served last.
 * Equals are drawn at random: a flood could exploit a fixed rule to keep its places or to take those of others.
 */
export function findLast<One extends Request>(requests: readonly One[], random: () => number): One | undefined {
  return descend(requests, (groups) => {
    let highest = Number.NEGATIVE_INFINITY;
    let equals: (readonly One[])[] = [];
    for (const [competitor, group] of groups) {
      const tag = Math.max(...standingsOf(competitor, group)) + group.length;
      if (tag > highest) equals = [];
      if (tag >= highest) equals.push(group);
      highest = Math.max(tag, highest);
    }
    return drawLate(equals, random) ?? [];
  }).at(-1);
}

/**
 * Draws two of equals in order of arrival and takes the later one, so that requests are rarely turned away after a long
 * wait.
 */
export function drawLate<One>(equals: readonly One[], random: () => number): One | undefined {
  return equals[Math.floor(Math.max(random(), random()) * equals.length)];
}

type Groups<One> = ReadonlyMap<Competitor, readonly One[]>;

/** The requests of one source, chosen level by level. */
function descend<One extends Request>(
  requests: readonly One[],
  choose: (groups: Groups<One>) => readonly One[],
): readonly One[] {
  let left = requests;
  for (let level = 0; level < (left[0]?.path.length ?? 0); level += 1) {
    const groups = Map.groupBy(left, ({ path }) => path[level] ?? sourceOf(path));
    if (groups.size > 1) left = choose(groups);
  }
  return left;
}

function standingsOf(competitor: Competitor, requests: readonly Request[]): number[] {
  return requests.map(({ path }) => standingOf(competitor, sourceOf(path)));
}

import { setTimeout as delay } from 'node:timers/promises';
import { percentile } from '../../support/statistics.ts';
import type { Drill, DrillOptions, DrillResult } from '../drill.ts';
import { type Nodes, openNodes } from '../nodes.ts';
import { type Flood, type OwnersSignIn, openStrangers, signInOwner } from '../strangers.ts';

/** Who keeps the queue of passwords full, and how often the owner may have to come again. */
const floods: readonly (Flood & { readonly name: string })[] = [
  { name: '120 connections of 1 address', connections: 120, sources: 1 },
  { name: '1,000 connections of 1,000 addresses', connections: 1000, sources: 1000 },
  { name: '1,000 addresses in turn', connections: 80, sources: 1000, goesRound: true },
  {
    name: 'another /64 of one /48 for each name',
    connections: 80,
    sources: Number.POSITIVE_INFINITY,
    goesRound: true,
  },
];
const startMilliseconds = 5000;
const pauseMilliseconds = 1000;
const mostMilliseconds = 5000;

/** O9: strangers keep the password queue full; a request from elsewhere is still served. */
export const drill: Drill = {
  id: 'O9',
  title:
    'a full queue of passwords, from 1, from 1,000 and from ever new addresses: the owner signs in (a round is a sign-in of his)',
  rounds: 20,
  quickRounds: null,
  run: async ({ rounds, log }) => {
    const nodes = await openNodes('sqlite', ['limit.sign-in=off'], 1, { TRUST_PROXY: '127.0.0.1' });
    try {
      const results: DrillResult[] = [];
      for (const flood of floods) results.push(await run(nodes, rounds, flood, log));
      return {
        figures: Object.assign({}, ...results.map(({ figures }) => figures)),
        holds: results.every(({ holds }) => holds),
      };
    } finally {
      await nodes.dispose();
    }
  },
};

async function run(
  nodes: Nodes,
  rounds: number,
  flood: (typeof floods)[number],
  log: DrillOptions['log'],
): Promise<DrillResult> {
  const strangers = await openStrangers(nodes, flood);
  const signIns: OwnersSignIn[] = [];
  // In the first moments all sources are alike.
  await delay(startMilliseconds);
  while (signIns.length < rounds) {
    const signIn = await signInOwner(nodes);
    signIns.push(signIn);
    log(`${flood.name}: ${Math.round(signIn.milliseconds)} ms, refused ${signIn.refused.length} times`);
    await delay(pauseMilliseconds);
  }
  await strangers.end();
  const times = signIns.map(({ milliseconds }) => milliseconds);
  const slowest = Math.max(...times);
  const atOnce = signIns.filter(({ refused }) => refused.length === 0).length;
  return {
    figures: {
      [`${flood.name}: their names by status`]: strangers.tally.text(),
      [`${flood.name}: sign-ins of the owner, and of these at once`]: `${rounds}, ${atOnce}`,
      [`${flood.name}: until he was signed in, median and slowest ms`]: `${Math.round(percentile(times, 0.5))}, ${Math.round(slowest)}`,
    },
    holds: slowest < mostMilliseconds && (flood.sources > 1 || atOnce === rounds),
  };
}

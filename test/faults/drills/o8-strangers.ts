import { setTimeout as delay } from 'node:timers/promises';
import { percentile } from '../../support/statistics.ts';
import type { Drill, DrillResult } from '../drill.ts';
import { hookManagement, hookOf } from '../hook-sign-ins.ts';
import { type Nodes, openNodes } from '../nodes.ts';
import { type OwnersSignIn, openStrangers, signInOwner } from '../strangers.ts';

const connections = 24;
/** As slow as a function may be: what it asks does not answer. */
const migration = 'await new Promise((resolve) => setTimeout(resolve, 9_500)); return null;';
const preAuthentication = 'return null;';
const pauseMilliseconds = 500;
const warmUpSeconds = 3;
const mostTimesSlower = 1.5;

/** O8: unknown names, each of which fires a slow function, while the owner signs in. */
export const drill: Drill = {
  id: 'O8',
  title:
    '24 connections of unknown names with a slow user-migration: the owner signs in each time (a round is a second)',
  rounds: 60,
  quickRounds: null,
  run: async ({ rounds }) => {
    const nodes = await openNodes('sqlite', ['limit.sign-in=off'], 1, { TRUST_PROXY: '127.0.0.1' });
    try {
      const send = await hookManagement(nodes.account);
      await send('POST', '', hookOf(preAuthentication));
      await send('POST', '', hookOf(migration, { type: 'user-migration', timeout: 10 }));
      const one = await run(nodes, rounds, 1);
      const many = await run(nodes, rounds, connections);
      return { figures: { ...one.figures, ...many.figures }, holds: one.holds && many.holds };
    } finally {
      await nodes.dispose();
    }
  },
};

async function run(nodes: Nodes, rounds: number, sources: number): Promise<DrillResult> {
  await signInFor(nodes, warmUpSeconds);
  const calm = timesOf(await signInFor(nodes, rounds));
  const strangers = await openStrangers(nodes, { connections, sources });
  await delay(warmUpSeconds * 1000);
  const signIns = await signInFor(nodes, rounds);
  await strangers.end();
  const refused = signIns.flatMap((one) => one.refused);
  const during = timesOf(signIns);
  const name = `from ${sources} address${sources === 1 ? '' : 'es'}`;
  return {
    figures: {
      [`${name}: unknown names by status`]: strangers.tally.text(),
      [`${name}: sign-ins of the owner, and refusals`]: `${signIns.length}, ${refused.join(' ') || 'none'}`,
      [`${name}: his p50 and p95 without them, ms`]: shown(calm),
      [`${name}: his p50 and p95 with them, ms`]: shown(during),
    },
    holds: refused.length === 0 && percentile(during, 0.95) <= mostTimesSlower * percentile(calm, 0.95),
  };
}

const timesOf = (signIns: readonly OwnersSignIn[]) => signIns.map(({ milliseconds }) => milliseconds);
const shown = (times: readonly number[]) => [0.5, 0.95].map((part) => Math.round(percentile(times, part))).join(', ');

async function signInFor(nodes: Nodes, seconds: number): Promise<OwnersSignIn[]> {
  const until = performance.now() + seconds * 1000;
  const signIns: OwnersSignIn[] = [];
  while (performance.now() < until) {
    signIns.push(await signInOwner(nodes));
    await delay(pauseMilliseconds);
  }
  return signIns;
}

import { randomInt } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { defaultWait } from '../../support/cli.ts';
import { type Replicas, startReplicas } from '../../support/replicas.ts';
import { ask, execute } from '../../support/rows.ts';
import { percentile } from '../../support/statistics.ts';
import { until } from '../../support/until.ts';
import type { Drill, DrillOptions, DrillResult } from '../drill.ts';
import { findBreaches } from '../history.ts';
import { type LeaderLoad, startLeaderLoad } from '../leader-load.ts';
import { countAcknowledged, type Load, newJournal } from '../mixed-load.ts';
import { type Nodes, openNodes } from '../nodes.ts';
import { readBack } from '../read-back.ts';

const chains = 6;
/** Who sign in, by turns: the 201st sign-in of one of them ends the oldest. */
const users = 10;
/** Longer than any of this takes. */
const graceSeconds = 60;
/** After the promotion, until every server has answered well; and how long a planned change may be felt. */
const mostRecoverySeconds = 2;
const mostPauseSeconds = 2;
/** A write that no standby confirms is given up after six seconds, and one that waited for it after six more. */
const mostAnswerSeconds = 14;
const withoutStandbysMilliseconds = 15_000;
/** For so many losses one planned change, and one leader that goes on reading. */
const lossesPerChange = 10;

/**
 * D10: leaders are lost, changed on purpose, demoted without an end of their connections, and left without standbys.
 */
export const drill: Drill = {
  id: 'D10',
  title:
    'PostgreSQL loses its leader (kill -9) under mixed load, a standby is promoted: nothing acknowledged is lost, 503 meanwhile (a round is a loss; 3 are a short run)',
  rounds: 50,
  // The tests of the store lose one.
  quickRounds: null,
  run,
};

interface Times {
  /** Seconds from a loss to the end of the promotion, and from there to the first success of the last server. */
  readonly promotions: number[];
  readonly recoveries: number[];
  /** Seconds without any success at planned changes. */
  readonly pauses: number[];
  /** The same at leaders that turned read-only, from the promotion on. */
  readonly demotions: number[];
  acknowledgedAlone: number;
  /** Sessions of both servers at the leader without standbys, at the end. */
  sessionsAlone: number;
  leftBehind: number;
}

async function run({ rounds, log }: DrillOptions): Promise<DrillResult> {
  const replicas = await startReplicas(3, { synchronous: true });
  const limits = ['sign-in', 'client-auth', 'register', 'api-2'].map((name) => `limit.${name}=off`);
  const settings = [`refresh.grace_seconds=${graceSeconds}`, ...limits];
  let nodes: Nodes | undefined;
  try {
    nodes = await openNodes('postgres', settings, 2, { ...defaultWait, DATABASE_URL: replicas.url });
    const load = await prepare(nodes);
    const tokens = (await nodes.startSessions(chains)).map(({ refresh_token }) => refresh_token);
    const running = startLeaderLoad(load, tokens, await nodes.account.bearer('manage_users'));
    const times: Times = {
      promotions: [],
      recoveries: [],
      pauses: [],
      demotions: [],
      sessionsAlone: 0,
      acknowledgedAlone: 0,
      leftBehind: 0,
    };
    const lost: string[] = [];
    const seen = new Set<unknown>();
    const look = async (entries: Set<unknown>) => {
      const found = await running.pausedFor(async () => [
        ...(await readBack(load, entries)).lost,
        ...(await running.readUsers()),
      ]);
      for (const what of found) log(`lost: ${what}`);
      lost.push(...found);
    };
    for (let round = 1; round <= rounds; round += 1) {
      await loseLeader(replicas, running, times);
      await look(seen);
      if (round % lossesPerChange !== 0 && round !== rounds) continue;
      await changeOver(replicas, running, times);
      await demote(replicas, running, times);
      await look(seen);
      log(`${round} leaders lost`);
    }
    await loseStandbys(replicas, running, times);
    await look(new Set());
    await running.stop();
    const breaches = findBreaches(load.journal.history, { graceMilliseconds: graceSeconds * 1000 });
    for (const { text } of breaches) log(text);
    for (const what of new Set(running.odd())) log(`odd: ${what}`);
    return report(rounds, load, running, times, lost.length + breaches.length);
  } finally {
    await nodes?.dispose();
    await replicas.stop();
  }
}

async function prepare(nodes: Nodes): Promise<Load> {
  const { account, client } = nodes;
  const emails: string[] = [];
  while (emails.length < users) emails.push((await account.makeUser(client.app_id)).email);
  return {
    nodes,
    journal: newJournal(),
    emails,
    pair: { client_id: '', client_secret: '' },
    bearer: await account.bearer('register_clients'),
  };
}

async function loseLeader(replicas: Replicas, running: LeaderLoad, times: Times): Promise<void> {
  await replicas.allFollow();
  await running.eachOnceMore();
  await delay(randomInt(0, 250));
  const gone = replicas.leader();
  const lostAt = performance.now();
  await replicas.lose();
  await replicas.promote();
  const promotedAt = performance.now();
  times.promotions.push((promotedAt - lostAt) / 1000);
  times.recoveries.push(await recovered(running, promotedAt));
  await replicas.bringBack(gone, 'copy');
}

/** Seconds from then until every server has answered a write well. */
async function recovered({ successes }: LeaderLoad, since: number): Promise<number> {
  const firsts = () => successes.map((times) => times[times.findLastIndex((time) => time <= since) + 1]);
  await until(() => firsts().every((time) => time !== undefined));
  return (Math.max(...firsts().map((time) => time ?? 0)) - since) / 1000;
}

async function changeOver(replicas: Replicas, running: LeaderLoad, times: Times): Promise<void> {
  await replicas.allFollow();
  await running.eachOnceMore();
  const gone = replicas.leader();
  const began = performance.now();
  await replicas.changeOver();
  await recovered(running, performance.now());
  await replicas.bringBack(gone, 'own data');
  await replicas.allFollow();
  await running.eachOnceMore();
  times.pauses.push(...running.successes.map((successes) => longestGap(successes, began)));
}

/** Seconds between two successes, from the last one before `since` on. */
function longestGap(successes: readonly number[], since: number): number {
  const from = successes.findLastIndex((time) => time < since);
  const gaps = successes.slice(from + 1).map((time, index) => time - (successes[from + index] ?? since));
  return Math.max(...gaps) / 1000;
}

/** The leader reads on and keeps its connections; another one takes the writes. */
async function demote(replicas: Replicas, running: LeaderLoad, times: Times): Promise<void> {
  const former = replicas.leader();
  const url = replicas.urls[former] ?? '';
  await execute(url, 'alter system set default_transaction_read_only = on');
  await execute(url, 'select pg_reload_conf()');
  await until(async () => (await sessionsAt(url)) === 0);
  await replicas.promote();
  const promotedAt = performance.now();
  times.demotions.push(await recovered(running, promotedAt));
  await running.eachOnceMore();
  times.leftBehind += await sessionsAt(url);
  await replicas.halt(former);
  await replicas.bringBack(former, 'copy');
}

/** What no standby has is not acknowledged, however long it takes; and it goes on when they are back. */
async function loseStandbys(replicas: Replicas, running: LeaderLoad, times: Times): Promise<void> {
  await replicas.allFollow();
  const standbys = replicas.urls.map((_, index) => index).filter((index) => index !== replicas.leader());
  await Promise.all(standbys.map(replicas.halt));
  // What was confirmed before may still be on its way to the client.
  await delay(250);
  const alone = performance.now();
  await delay(withoutStandbysMilliseconds);
  times.acknowledgedAlone += running.successes.flat().filter((time) => time > alone).length;
  times.sessionsAlone = await sessionsAt(replicas.urls[replicas.leader()] ?? '');
  await Promise.all(standbys.map((index) => replicas.bringBack(index, 'own data')));
  await replicas.allFollow();
  await running.eachOnceMore();
}

async function sessionsAt(url: string): Promise<number> {
  const [row] = await ask(url, "select count(*)::int from pg_stat_activity where application_name = 'gatehouse'");
  return Number(row?.['count']);
}

function report(losses: number, { journal }: Load, running: LeaderLoad, times: Times, lost: number): DrillResult {
  const { tallies } = running;
  const odd = running.odd();
  const { refreshes, registrations, 'sign-ins': signIns } = countAcknowledged(journal);
  const slowest = Math.max(...Object.values(tallies).map((tally) => tally.slowest())) / 1000;
  const slowestOfEach = Object.entries(tallies).map(
    ([kind, tally]) => `${kind} ${(tally.slowest() / 1000).toFixed(1)}`,
  );
  const over = (all: readonly number[]) =>
    `median ${percentile(all, 0.5).toFixed(2)}, most ${Math.max(...all).toFixed(2)}`;
  return {
    figures: {
      'leaders lost': losses,
      'acknowledged refreshes': refreshes,
      'acknowledged registrations': registrations,
      'acknowledged sign-ins': signIns,
      ...Object.fromEntries(Object.entries(tallies).map(([kind, tally]) => [`answers to ${kind}`, tally.text()])),
      'acknowledged and lost': lost,
      'neither the right answer nor a whole 503': odd.length,
      'from the loss to the end of the promotion, s': over(times.promotions),
      'from there until both servers serve, s': over(times.recoveries),
      'planned changes': times.pauses.length / 2,
      'longest pause of a server there, s': over(times.pauses),
      'leaders that turned read-only': times.demotions.length,
      'from the promotion until both servers serve there, s': over(times.demotions),
      'connections left at a read-only leader': times.leftBehind,
      'acknowledged without a standby': times.acknowledgedAlone,
      'sessions at a leader without standbys': times.sessionsAlone,
      'slowest answer, s': slowestOfEach.join(', '),
    },
    holds:
      lost + odd.length + times.leftBehind + times.acknowledgedAlone === 0 &&
      Math.max(...times.recoveries, ...times.demotions) <= mostRecoverySeconds &&
      Math.max(...times.pauses) <= mostPauseSeconds &&
      slowest <= mostAnswerSeconds,
  };
}

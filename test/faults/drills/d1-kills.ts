import { randomInt } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { basic } from '../../support/app.ts';
import { percentile } from '../../support/statistics.ts';
import type { DatabaseKind } from '../../support/stores.ts';
import { type Drill, type DrillOptions, type DrillResult, onEachDatabase } from '../drill.ts';
import { type DatabaseFaults, findDatabaseFaults } from '../half-applied.ts';
import { findBreaches } from '../history.ts';
import { countAcknowledged, type Load, newJournal, runMixedLoad } from '../mixed-load.ts';
import { assertFewRefreshedAgain, type Nodes, openNodes } from '../nodes.ts';
import { readBack, retryChains } from '../read-back.ts';

const chains = 8;
/** Who sign in, with fewer than 200 sessions each in the end. */
const users = 10;
/** The number of kills between checks of the database, which is also checked at the end. */
const roundsBetweenLooks = 20;
/** What apps of open registration get: rows in addition to the client's. */
const role = 'Everyone';
/** Longer than a start takes on a busy machine. */
const graceSeconds = 60;

/** D1: the process dies under mixed load; nothing that was acknowledged is lost, nothing is there twice or in part. */
export const drill: Drill = {
  id: 'D1',
  title: 'kill -9 under mixed load, restart: no acknowledged refresh, registration, sign-in, or revocation is lost',
  rounds: 200,
  quickRounds: 1,
  quickDatabases: ['sqlite'],
  run: (options) => onEachDatabase((database) => runOn(database, options), options.databases),
};

async function runOn(database: DatabaseKind, { rounds, log, amongTests = false }: DrillOptions): Promise<DrillResult> {
  const limits = ['sign-in', 'client-auth', 'register', 'register-open'].map((name) => `limit.${name}=off`);
  const nodes = await openNodes(database, [`refresh.grace_seconds=${graceSeconds}`, ...limits], 1);
  try {
    const load = await prepare(nodes);
    const faults = {
      lost: [] as string[],
      doubled: [] as string[],
      halfApplied: [] as string[],
      damage: [] as string[],
    };
    const keep = (found: Partial<DatabaseFaults & { readonly lost: readonly string[] }>) => {
      for (const [kind, list] of Object.entries(found)) faults[kind as keyof typeof faults].push(...list);
    };
    const recoveries: number[] = [];
    const seen = new Set<unknown>();
    // Among other tests fewer: each refreshes on and on until all else was acknowledged.
    const count = amongTests ? 2 : chains;
    let tokens = (await nodes.startSessions(count)).map(({ refresh_token }) => refresh_token);
    let service = nodes.services[0];
    for (let round = 1; round <= rounds; round += 1) {
      const running = runMixedLoad(load, tokens);
      await untilEachWasAcknowledged(load, running);
      await delay(randomInt(0, 250));
      await service?.kill();
      tokens = await running;
      const killedAt = performance.now();
      service = await nodes.installation.serve();
      recoveries.push((performance.now() - killedAt) / 1000);
      tokens = await retryChains(load, tokens);
      keep(await readBack(load, seen));
      if (round % roundsBetweenLooks !== 0 && round !== rounds) continue;
      keep(await findDatabaseFaults(nodes.installation.databaseUrl));
      log(`${database}: ${round} kills survived`);
    }
    keep(await readBack(load, new Set()));
    assertFewRefreshedAgain(nodes, count);
    const breaches = findBreaches(load.journal.history, { graceMilliseconds: graceSeconds * 1000 });
    for (const { kind, text } of breaches) {
      if (kind === 'tokens with two successors') keep({ doubled: [text] });
      else if (kind === 'accepted after revocation') keep({ halfApplied: [text] });
      else keep({ lost: [text] });
    }
    for (const [kind, list] of Object.entries(faults)) for (const text of list) log(`${database}: ${kind}: ${text}`);
    return report(database, rounds, load, faults, recoveries);
  } finally {
    await nodes.dispose();
  }
}

async function prepare(nodes: Nodes): Promise<Load> {
  const { account, client } = nodes;
  const { cli } = account.service;
  const at = ['--account', account.subdomain];
  await cli('role', 'create', ...at, role);
  await cli('account', 'set', account.subdomain, 'registration=open', `open_registration_roles=${role}`);
  const pair = await cli('credential', 'create', ...at, '--scope', 'register_clients');
  const headers = basic(pair.client_id, pair.client_secret);
  const form = { grant_type: 'client_credentials' };
  const { body } = await account.send('POST', '/auth/oauth2/v2/token', { headers, form });
  const emails: string[] = [];
  while (emails.length < users) emails.push((await account.makeUser(client.app_id)).email);
  return { nodes, journal: newJournal(), emails, pair, bearer: body.access_token };
}

/** A kill before that would find less to lose. */
async function untilEachWasAcknowledged({ journal }: Load, running: Promise<unknown>): Promise<void> {
  const before = Object.values(countAcknowledged(journal));
  const ended = running.then(() => {
    throw new Error('the server died before it was killed');
  });
  ended.catch(() => {});
  while (Object.values(countAcknowledged(journal)).some((count, index) => count <= (before[index] ?? 0))) {
    await Promise.race([delay(10), ended]);
  }
}

function report(
  database: DatabaseKind,
  kills: number,
  { journal }: Load,
  { lost, doubled, halfApplied, damage }: DatabaseFaults & { readonly lost: readonly string[] },
  recoveries: readonly number[],
): DrillResult {
  const acknowledged = Object.entries(countAcknowledged(journal));
  const seconds = (value: number) => Number(value.toFixed(2));
  return {
    figures: {
      kills,
      ...Object.fromEntries(acknowledged.map(([name, count]) => [`acknowledged ${name}`, count])),
      'refreshes cut off by a kill': journal.history.filter(({ outcome }) => outcome === 'no answer').length,
      lost: lost.length,
      doubled: doubled.length,
      'half applied': halfApplied.length,
      ...(database === 'sqlite' && { 'integrity check': damage.length === 0 ? 'ok' : damage.join('; ') }),
      'start to ready, median s': seconds(percentile(recoveries, 0.5)),
      'start to ready, slowest s': seconds(Math.max(...recoveries)),
    },
    holds: [lost, doubled, halfApplied, damage].every(({ length }) => length === 0),
  };
}

import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { defaultWait } from '../../support/cli.ts';
import { clientAuthentication, password } from '../../support/sign-in.ts';
import type { DatabaseKind } from '../../support/stores.ts';
import { untilOpened } from '../../support/until.ts';
import type { TimedAnswer } from '../../support/wire.ts';
import { type Drill, type DrillOptions, type DrillResult, onEachDatabase } from '../drill.ts';
import { type Nodes, openNodes } from '../nodes.ts';
import { type FailingDatabase, failingPostgres, failingSqlite, type Outage } from '../outages.ts';
import { createTally, type Tally } from '../tally.ts';

const sessionCount = 4;
/** Longer than an outage: commits whose answers were lost are repeated afterwards. */
const graceSeconds = 60;
const pauseMilliseconds = 20;
/** Other tests need the processor. */
const pauseAmongTests = 150;

/**
 * How long a recovery and an answer may take. What is waiting when the database is back waits as long as the outage
 * was, and no longer than the service lets anybody wait. Among other tests it must only end.
 */
function mostSeconds({ rounds, amongTests = false }: Pick<DrillOptions, 'rounds' | 'amongTests'>) {
  if (amongTests) return { recovery: Number.POSITIVE_INFINITY, answer: Number.POSITIVE_INFINITY };
  return { recovery: Math.min(10 + rounds, 30), answer: Math.min(10 + rounds, 20) };
}

/** D4: the database is gone, silent, slow, full, locked, read-only or not what it was. */
export const drill: Drill = {
  id: 'D4',
  title:
    'outages of the database: 503 with Retry-After, nobody locked out, recovery without a restart (a round is a second of each)',
  rounds: 30,
  quickRounds: 1,
  // That a file is locked or broken is shown by the tests of the store, and by D3 and D5.
  quickDatabases: ['postgres'],
  run: (options) => onEachDatabase((database) => runOn(database, options), options.databases),
};

async function runOn(database: DatabaseKind, options: DrillOptions): Promise<DrillResult> {
  const failing: Pick<FailingDatabase, 'outages'> & Partial<FailingDatabase> =
    database === 'postgres' ? await failingPostgres() : { outages: [] };
  const settings = ['grant.password=on', `refresh.grace_seconds=${graceSeconds}`];
  const env = { ...defaultWait, ...(failing.url !== undefined && { DATABASE_URL: failing.url }) };
  const open = () => openNodes(database, settings, 1, env);
  // A service that waits no longer than an operator's may not start among other tests, which is not what is tried.
  const nodes = await (options.amongTests ? untilOpened(open) : open()).catch(async (error) => {
    await failing.dispose?.();
    throw error;
  });
  try {
    const tokens = (await nodes.startSessions(sessionCount)).map(({ refresh_token }) => refresh_token);
    const user = await nodes.account.makeUser(nodes.client.app_id);
    const file = join(nodes.installation.folder, 'data/gatehouse.db');
    const all = database === 'postgres' ? failing.outages : failingSqlite(file).outages;
    // Among other tests every third: gone, no connection left, and a table missing.
    const outages = options.amongTests ? all.filter((_, index) => index % 3 === 0) : all;
    const figures: Record<string, number | string> = {};
    let holds = true;
    for (const outage of outages) {
      const result = await suffer(nodes, tokens, user.email, outage, options);
      for (const [name, value] of Object.entries(result.figures)) figures[`${outage.name}, ${name}`] = value;
      holds &&= result.holds;
    }
    return { figures, holds };
  } finally {
    await nodes.dispose();
    await failing.dispose?.();
  }
}

interface Callers {
  readonly refreshes: Tally;
  readonly signIns: Tally;
  readonly reads: Tally;
  readonly readiness: Tally;
}

async function suffer(
  nodes: Nodes,
  tokens: string[],
  email: string,
  outage: Outage,
  options: DrillOptions,
): Promise<DrillResult> {
  const { rounds, log } = options;
  const most = mostSeconds(options);
  let goesOn = true;
  const during = { refreshes: createTally(), signIns: createTally(), reads: createTally(), readiness: createTally() };
  const isAmongTests = options.amongTests === true;
  const load = callOn(nodes, tokens, email, during, { isAmongTests, goesOn: () => goesOn });
  await outage.begin();
  await delay(rounds * 1000);
  await outage.end();
  const ended = performance.now();
  const recovered = await untilWell(nodes, email, most.recovery, isAmongTests);
  const seconds = (performance.now() - ended) / 1000;
  goesOn = false;
  await load;
  const all = Object.values(during);
  // A right password and a live token are never refused: what is neither success nor 503 is a breach.
  const odd = all.flatMap((tally) => tally.beyond(200));
  if (odd.length > 0) log(`${outage.name}: ${odd.join(', ')}`);
  const told = during.readiness.statuses.has('503') || !outage.total;
  if (!told) log(`${outage.name}: /readyz never said so`);
  const slowest = Math.max(...all.map((tally) => tally.slowest()));
  return {
    figures: {
      refreshes: during.refreshes.text(),
      'sign-ins': during.signIns.text(),
      reads: during.reads.text(),
      '/readyz': during.readiness.text(),
      'slowest answer, ms': slowest,
      'right passwords refused': during.signIns.statuses.get('400') ?? 0,
      'sessions lost': (during.refreshes.statuses.get('400') ?? 0) + (during.refreshes.statuses.get('401') ?? 0),
      'well again after, s': recovered ? seconds.toFixed(1) : 'never',
    },
    holds: odd.length === 0 && told && recovered && slowest < most.answer * 1000,
  };
}

/** Sessions that refresh, a user who signs in with the right password, readers, and a balancer. */
async function callOn(
  { wires: [wire], client }: Nodes,
  tokens: string[],
  email: string,
  { refreshes, signIns, reads, readiness }: Callers,
  { goesOn, isAmongTests }: { readonly goesOn: () => boolean; readonly isAmongTests: boolean },
): Promise<void> {
  const { headers, form } = clientAuthentication(client);
  const again = async (call: () => Promise<TimedAnswer | null>) => {
    while (goesOn()) {
      const answer = await call();
      if (isAmongTests) await delay(pauseAmongTests);
      else if (answer?.status !== 200) await delay(pauseMilliseconds);
    }
  };
  const token = (more: Record<string, string>) =>
    wire.send('POST', '/oauth2/token', { headers, form: { ...form, ...more } });
  await Promise.all([
    ...tokens.map((_, index) =>
      again(async () => {
        const refresh = { grant_type: 'refresh_token', refresh_token: tokens[index] ?? '' };
        const answer = await refreshes.note(token(refresh));
        if (answer?.status === 200) tokens[index] = answer.body.refresh_token;
        return answer;
      }),
    ),
    again(() => signIns.note(token({ grant_type: 'password', username: email, password, scope: 'openid' }))),
    again(() => reads.note(wire.send('GET', '/oauth2/jwks'))),
    again(async () => {
      await delay(10 * pauseMilliseconds);
      return readiness.note(wire.call('GET', '/readyz'));
    }),
  ]);
}

/** Whether, within a while, the server is ready and the user can sign in. */
async function untilWell(
  { wires: [wire], client }: Nodes,
  email: string,
  seconds: number,
  isAmongTests: boolean,
): Promise<boolean> {
  const { headers, form } = clientAuthentication(client);
  const attempt = { ...form, grant_type: 'password', username: email, password, scope: 'openid' };
  const deadline = performance.now() + seconds * 1000;
  while (performance.now() < deadline) {
    const ready = await wire.call('GET', '/readyz');
    const signedIn = await wire.send('POST', '/oauth2/token', { headers, form: attempt });
    if (ready.status === 200 && signedIn.status === 200) return true;
    await delay(isAmongTests ? pauseAmongTests : pauseMilliseconds);
  }
  return false;
}

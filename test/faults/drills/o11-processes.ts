import { mkdtempSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { startBalancer } from '../../support/balancer.ts';
import { freePort, type Service } from '../../support/process.ts';
import { checkOut, lastRelease } from '../../support/releases.ts';
import { until } from '../../support/until.ts';
import { openWire } from '../../support/wire.ts';
import type { Drill, DrillOptions, DrillResult } from '../drill.ts';
import { isBrokenConnection, openNodes } from '../nodes.ts';
import { refreshWhile } from '../refreshing.ts';
import { createTally, type Tally } from '../tally.ts';

/** This checkout. */
const own = fileURLToPath(new URL('../../..', import.meta.url));
const settings = ['limit.client-auth=off'];
const chains = 12;
const processes = 3;
const env = { DRAIN_SECONDS: '1' };

/**
 * O11: `serve --processes` under load, without a balancer: its processes are replaced by SIGHUP, and killed. Then two
 * upgrades: in place, and from the last release behind a balancer.
 */
export const drill: Drill = {
  id: 'O11',
  title:
    'serve --processes under load: replaced, killed, upgraded in place and from the last release (a round: each once)',
  rounds: 5,
  quickRounds: null,
  run: async (options) => {
    const results = [await replaceAndKill(options), await upgradeInPlace(), await upgradeFromLastRelease(options)];
    return {
      figures: Object.assign({}, ...results.map(({ figures }) => figures)),
      holds: results.every(({ holds }) => holds),
    };
  },
};

function failuresIn({ statuses }: Tally): number {
  return [...statuses].filter(([status]) => status !== '200').reduce((sum, [, count]) => sum + count, 0);
}

function timesTold(service: Service, event: string): number {
  return service.output().split(`"event":"${event}"`).length - 1;
}

async function replaceAndKill({ rounds, log }: DrillOptions): Promise<DrillResult> {
  const nodes = await openNodes('postgres', settings, 1, env, { processes });
  const [service] = nodes.services;
  if (!service) throw new Error('no server runs');
  try {
    const tokens = (await nodes.startSessions(chains)).map(({ refresh_token }) => refresh_token);
    const state = { goesOn: true };
    const [kept, fresh] = [createTally(), openFresh(service.port, state)];
    const load = refreshWhile(nodes, tokens, () => state.goesOn, kept);
    for (let round = 1; round <= rounds; round += 1) {
      await delay(500);
      process.kill(service.pid, 'SIGHUP');
      await until(() => timesTold(service, 'processes replaced') === round);
    }
    await delay(500);
    state.goesOn = false;
    await Promise.all([load, fresh.ended]);
    log(`replaced: kept connections ${kept.text()}, new ones ${fresh.answered()}`);
    const killed = await kill(service, rounds);
    const exit = await service.stop();
    return {
      figures: {
        'replacements of all processes': rounds,
        'refreshes meanwhile': kept.text(),
        'connections for one request each': fresh.answered(),
        'requests that failed': failuresIn(kept) + fresh.broken.length,
        ...killed.figures,
      },
      holds: failuresIn(kept) === 0 && fresh.broken.length === 0 && killed.holds && exit === 0,
    };
  } finally {
    await nodes.dispose();
  }
}

/** Each answer is waited for on a connection that no former request used. */
function openFresh(port: number, state: { goesOn: boolean }) {
  const broken: { readonly calledAt: number }[] = [];
  let answered = 0;
  const call = () =>
    new Promise<void>((resolve, reject) => {
      const asked = request({ host: '127.0.0.1', port, path: '/healthz', agent: false }, (res) => {
        if (res.statusCode !== 200) reject(new Error(`status ${res.statusCode}`));
        res.resume().once('end', resolve).once('error', reject);
      });
      asked.once('error', reject).end();
    });
  const ended = Promise.all(
    Array.from({ length: 4 }, async () => {
      while (state.goesOn) {
        const calledAt = performance.now();
        await call().then(
          () => {
            answered += 1;
          },
          () => void broken.push({ calledAt }),
        );
      }
    }),
  );
  return { broken, ended, answered: () => answered };
}

/** A request fails where the killed process had it, and nowhere else: whoever asks again at once is served. */
async function kill(service: Service, rounds: number): Promise<DrillResult> {
  const state = { goesOn: true };
  const fresh = openFresh(service.port, state);
  const agent = new Agent({ keepAlive: true, maxSockets: chains });
  const underWay = { failed: 0, answered: 0, again: 0, lost: 0 };
  const ask = () =>
    new Promise<void>((resolve, reject) => {
      const asked = request({ agent, host: '127.0.0.1', port: service.port, path: '/readyz' }, (res) => {
        res.resume().once('end', resolve).once('error', reject);
      });
      asked.once('error', reject).end();
    });
  const kept = Array.from({ length: chains }, async () => {
    while (state.goesOn) {
      try {
        await ask();
        underWay.answered += 1;
      } catch (error) {
        if (!isBrokenConnection(error)) throw error;
        underWay.failed += 1;
        await ask().then(
          () => {
            underWay.again += 1;
          },
          () => {
            underWay.lost += 1;
          },
        );
      }
    }
  });
  const killedAt: number[] = [];
  for (let round = 1; round <= rounds; round += 1) {
    await delay(700);
    process.kill(childrenOf(service.pid)[0] ?? 0, 'SIGKILL');
    killedAt.push(performance.now());
    await until(() => timesTold(service, 'process ended') === round);
    await until(() => childrenOf(service.pid).length === processes);
  }
  await delay(700);
  state.goesOn = false;
  await Promise.all([...kept, fresh.ended]);
  agent.destroy();
  // Begun when no process was dying.
  const unexplained = fresh.broken.filter(
    ({ calledAt }) => !killedAt.some((at) => calledAt < at && at < calledAt + 1000),
  );
  return {
    figures: {
      'processes killed': rounds,
      'answers on kept connections meanwhile': underWay.answered,
      'requests that the killed ones had': `${underWay.failed}, of ${chains} at a time; answered when sent again: ${underWay.again}`,
      'connections for one request each, after kills': `${fresh.answered()}, broken ${fresh.broken.length}, of which begun after the kill ${unexplained.length}`,
    },
    holds: underWay.failed <= rounds * chains && underWay.lost === 0 && unexplained.length === 0,
  };
}

function childrenOf(pid: number): number[] {
  const text = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim();
  return text === '' ? [] : text.split(' ').map(Number);
}

/** The link to the installed release is changed, and SIGHUP sent. */
async function upgradeInPlace(): Promise<DrillResult> {
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-upgrade-'));
  const current = join(folder, 'current');
  for (const name of ['one', 'two']) checkOut('HEAD', join(folder, name));
  const described = join(folder, 'two/package.json');
  const next = '1.999.0';
  writeFileSync(described, readFileSync(described, 'utf8').replace(/"version": "[^"]+"/, `"version": "${next}"`));
  symlinkSync('one', current);
  const nodes = await openNodes('postgres', settings, 1, env, { processes: 2, root: current });
  const [service] = nodes.services;
  if (!service) throw new Error('no server runs');
  try {
    const tokens = (await nodes.startSessions(chains)).map(({ refresh_token }) => refresh_token);
    let goesOn = true;
    const tally = createTally();
    const load = refreshWhile(nodes, tokens, () => goesOn, tally);
    symlinkSync('two', `${current}.next`);
    renameSync(`${current}.next`, current);
    process.kill(service.pid, 'SIGHUP');
    await until(() => timesTold(service, 'processes replaced') === 1);
    await delay(500);
    goesOn = false;
    await load;
    const isNext = service.output().includes(`"version":"${next}","event":"processes replaced"`);
    return {
      figures: { 'upgrade in place': `${tally.text()}; processes of the next release: ${isNext ? 'all' : 'none'}` },
      holds: failuresIn(tally) === 0 && isNext,
    };
  } finally {
    await nodes.dispose();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** A process of the last release, then this one with several beside it, then that alone. */
async function upgradeFromLastRelease({ log }: DrillOptions): Promise<DrillResult> {
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-release-'));
  const root = join(folder, 'last');
  checkOut(lastRelease(), root);
  const nodes = await openNodes('postgres', settings, 1, env, { root });
  const [former] = nodes.services;
  if (!former) throw new Error('no server runs');
  const port = await freePort();
  const balancer = await startBalancer([former.port, port]);
  const wire = openWire({ port: balancer.port, host: nodes.account.host });
  try {
    const tokens = (await nodes.startSessions(chains)).map(({ refresh_token }) => refresh_token);
    let goesOn = true;
    const tally = createTally();
    const load = refreshWhile({ wires: [wire], client: nodes.client }, tokens, () => goesOn, tally);
    await nodes.installation.serve({ port, processes: 2, root: own });
    await until(() => balancer.changes.up === 2);
    const exit = await former.stop();
    const answered = tally.times.length;
    await until(() => tally.times.length > answered + 100);
    goesOn = false;
    await load;
    for (const line of new Set(balancer.broken)) log(line);
    return {
      figures: { 'upgrade from the last release': `${tally.text()}; exit of that: ${exit}` },
      holds: failuresIn(tally) === 0 && exit === 0,
    };
  } finally {
    wire.close();
    await balancer.close();
    await nodes.dispose();
    rmSync(folder, { recursive: true, force: true });
  }
}

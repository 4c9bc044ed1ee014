/** Delegated authentication: bounded by the hashing of passwords alone, and no trouble to refreshes. */

import { randomBytes } from 'node:crypto';
import { availableParallelism } from 'node:os';
import { createPasswords } from '../../src/adapters/argon2.ts';
import type { Bench } from './bench.ts';
import { prepareGatehouse } from './gatehouse.ts';
import { type Generator, startGenerator } from './generator-process.ts';
import { type Line, line } from './lines.ts';
import { benchPassword } from './peer.ts';
import { median } from './series.ts';
import type { Server } from './servers.ts';
import type { Measurement, Target } from './target.ts';

/** Callers of the storm, and of the refreshes meanwhile: as many as leave the machine room when it is quiet. */
const storming = 32;
const refreshing = 4;

interface Round {
  readonly hashesPerSecond: number;
  readonly quiet: Measurement;
  readonly storm: Measurement;
  /** Refreshes while the storm lasts. */
  readonly during: Measurement;
}

/** On a separate server: the other servers' refresh tokens are used up. */
export async function measureDelegated(bench: Pick<Bench, 'plan' | 'log'>): Promise<Line[]> {
  const prepared = await prepareGatehouse('SQLite, FULL, stormed', 'sqlite', bench.plan.users);
  const server = await prepared.serve();
  try {
    return await measureStorm(bench, server);
  } finally {
    await server.stop();
    await prepared.dispose();
  }
}

async function measureStorm({ plan, log }: Pick<Bench, 'plan' | 'log'>, server: Server): Promise<Line[]> {
  const { refresh, delegated } = server.targets;
  if (!refresh || !delegated) throw new Error(`${server.label} answers no refresh or no delegated authentication`);
  const [one, other] = [startGenerator(), startGenerator()];
  try {
    one.add(delegated);
    other.add(refresh);
    const hash = await bareHashing();
    const { milliseconds, rounds } = plan.other;
    const load = (generator: Generator, { name }: Target, connections: number) =>
      generator.measure({ name, connections, warmUpMilliseconds: plan.warmUpMilliseconds, milliseconds });
    const measured: Round[] = [];
    for (let round = 1; round <= rounds; round += 1) {
      const hashesPerSecond = await hash(milliseconds);
      const quiet = await load(other, refresh, refreshing);
      const alone = await load(one, delegated, storming);
      const [, during] = await Promise.all([load(one, delegated, storming), load(other, refresh, refreshing)]);
      measured.push({ hashesPerSecond, quiet, storm: alone, during });
      log(`${server.label}, delegated: ${Math.round(alone.perSecond)}/s (round ${round} of ${rounds})`);
    }
    return [rate(measured), latency(measured)];
  } finally {
    one.stop();
    other.stop();
  }
}

/**
 * Passwords a second that the service's own hashing checks with nothing around it, on as many cores as the service
 * uses.
 */
async function bareHashing(): Promise<(milliseconds: number) => Promise<number>> {
  const passwords = createPasswords({ pepper: randomBytes(32), cores: availableParallelism() });
  const share = { accountId: 1, source: 'bench' };
  const digest = await passwords.digest(benchPassword, share);
  return async (milliseconds) => {
    const began = performance.now();
    let checked = 0;
    const lane = async () => {
      while (performance.now() - began < milliseconds) {
        await passwords.verify(benchPassword, digest, share);
        checked += 1;
      }
    };
    await Promise.all(Array.from({ length: availableParallelism() * 2 }, lane));
    return checked / ((performance.now() - began) / 1000);
  };
}

function rate(rounds: readonly Round[]): Line {
  return line('delegated/argon2', {
    figure: median(rounds.map(({ storm }) => storm.perSecond)),
    unit: 'req/s',
    against: median(rounds.map(({ hashesPerSecond }) => hashesPerSecond)),
    ratio: median(rounds.map(({ storm, hashesPerSecond }) => storm.perSecond / hashesPerSecond)),
    peer: 'argon2 alone',
    errors: rounds.reduce((sum, { storm }) => sum + storm.errors, 0),
  });
}

function latency(rounds: readonly Round[]): Line {
  return line('delegated/refresh-p99', {
    figure: median(rounds.map(({ during }) => during.p99Milliseconds)),
    unit: 'ms',
    against: median(rounds.map(({ quiet }) => quiet.p99Milliseconds)),
    ratio: median(rounds.map(({ during, quiet }) => during.p99Milliseconds / quiet.p99Milliseconds)),
    peer: 'refreshes without a storm',
    errors: rounds.reduce((sum, { during, quiet }) => sum + during.errors + quiet.errors, 0),
  });
}

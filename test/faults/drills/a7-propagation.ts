import { percentile } from '../../support/statistics.ts';
import type { Drill, DrillOptions, DrillResult } from '../drill.ts';
import { type Answered, hookManagement, hookOf, openSignIn } from '../hook-sign-ins.ts';
import { type Nodes, openNodes } from '../nodes.ts';

const mostMilliseconds = 1000;
const refusing = 'return { success: false };';
const reading = 'return { success: process.env.SIGN_IN === "yes" };';

/** A7: a change that one process took, and when a sign-in through another one meets it. */
export const drill: Drill = {
  id: 'A7',
  title:
    'two processes on one PostgreSQL: from the answer to a change of a hook to its effect on the other, at most 1 s',
  rounds: 100,
  quickRounds: null,
  run,
};

interface Change {
  readonly kind: 'function' | 'disabling' | 'variable';
  make(): Promise<unknown>;
  /** Whether a sign-in is refused from then on. */
  readonly refuses: boolean;
}

interface Met {
  readonly kind: Change['kind'];
  /** From the answer to the change to the begin of the first sign-in that met it, and to the end of that. */
  readonly begunAfter: number;
  readonly endedAfter: number;
  /** Sign-ins that began after the answer to the change and did not meet it. */
  readonly missed: number;
}

async function run({ rounds, log }: DrillOptions): Promise<DrillResult> {
  const limits = ['sign-in', 'hooks', 'api-2'].map((name) => `limit.${name}=off`);
  const nodes = await openNodes('postgres', limits, 2);
  try {
    const changes = await prepareChanges(nodes);
    const met: Met[] = [];
    for (let round = 0; round < rounds; round += 1) {
      const change = changes[round % changes.length] as Change; // There is one.
      met.push(await measure(nodes, change));
      if ((round + 1) % 25 === 0) log(`${round + 1} of ${rounds} changes`);
    }
    const ended = met.map(({ endedAfter }) => endedAfter);
    const missed = met.reduce((sum, one) => sum + one.missed, 0);
    const worst = (kind: Change['kind']) =>
      Math.round(Math.max(...met.filter((one) => one.kind === kind).map(({ endedAfter }) => endedAfter)));
    return {
      figures: {
        changes: met.length,
        'sign-ins that did not meet the change before them': missed,
        'answer to the change to the begin of the sign-in that met it, most ms': Math.round(
          Math.max(...met.map(({ begunAfter }) => begunAfter)),
        ),
        'to its end, median ms': Math.round(percentile(ended, 0.5)),
        'to its end, most ms': Math.round(Math.max(...ended)),
        'most ms by kind': (['function', 'disabling', 'variable'] as const)
          .map((kind) => `${kind} ${worst(kind)}`)
          .join(', '),
      },
      holds: Math.max(...ended) <= mostMilliseconds,
    };
  } finally {
    await nodes.dispose();
  }
}

/** Five changes that each turn round what the one before did, over and over. */
async function prepareChanges({ account }: Nodes): Promise<Change[]> {
  const send = await hookManagement(account);
  const variable = await send('POST', '/envs', { name: 'SIGN_IN', value: 'yes' });
  const { id } = await send('POST', '', hookOf('return null;'));
  const write = (body: string, members?: object) => () => send('PUT', `/${id}`, hookOf(body, members));
  const give = (value: string) => () => send('PUT', `/envs/${variable.id}`, { value });
  return [
    { kind: 'function', make: write(refusing), refuses: true },
    { kind: 'disabling', make: write(refusing, { disabled: true }), refuses: false },
    { kind: 'function', make: write(refusing), refuses: true },
    { kind: 'function', make: write(reading, { env_vars: ['SIGN_IN'] }), refuses: false },
    { kind: 'variable', make: give('no'), refuses: true },
    { kind: 'variable', make: give('yes'), refuses: false },
  ];
}

/** Makes the change through one process and signs in through the other until it is met. */
async function measure({ wires: [, there], client, user }: Nodes, { kind, make, refuses }: Change): Promise<Met> {
  if (!there) throw new Error('there is no second process');
  let signIn: () => Promise<Answered> = await openSignIn(there, client, user.email);
  await make();
  const answeredAt = performance.now();
  for (let missed = 0; ; missed += 1) {
    const begunAfter = performance.now() - answeredAt;
    const { status } = await signIn();
    const endedAfter = performance.now() - answeredAt;
    if (status !== 303 && status !== 403) throw new Error(`a sign-in was answered ${status}`);
    if ((status === 403) === refuses) return { kind, begunAfter, endedAfter, missed };
    if (endedAfter > 30_000) throw new Error(`a change of the ${kind} is not met at all`);
    signIn = await openSignIn(there, client, user.email);
  }
}

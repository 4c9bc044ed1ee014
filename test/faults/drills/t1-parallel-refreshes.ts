import type { DatabaseKind } from '../../support/stores.ts';
import { type Drill, type DrillOptions, type DrillResult, histogram, onEachDatabase } from '../drill.ts';
import { countBreaches, findBreaches, type TokenCall } from '../history.ts';
import { assertFewRefreshedAgain, doors, type Nodes, openNodes, tryRefresh } from '../nodes.ts';

const parallel = 50;
/** The maximum: on a busy machine fifty calls take long. */
const graceSeconds = 60;

/** T1: parallel refreshes of one token, through both doors and all servers, give one successor. */
export const drill: Drill = {
  id: 'T1',
  title: '50 parallel refreshes of one token at both doors, one server on SQLite and two on PostgreSQL',
  rounds: 200,
  quickRounds: 1,
  // Two servers share the one; on the other one process does, as the surface tests have it.
  quickDatabases: ['postgres'],
  run: (options) => onEachDatabase((database) => runOn(database, options), options.databases),
};

async function runOn(database: DatabaseKind, { rounds, log }: DrillOptions): Promise<DrillResult> {
  const nodes = await openNodes(database, [`refresh.grace_seconds=${graceSeconds}`]);
  try {
    const [tokens] = await nodes.startSessions(1);
    const history: TokenCall[] = [];
    const winners: number[] = [];
    let token = tokens?.refresh_token ?? '';
    for (let round = 0; round < rounds; round += 1) {
      const answers = await race(nodes, token);
      history.push(...answers);
      const successors = new Set(answers.flatMap(({ got }) => got ?? []));
      winners.push(successors.size);
      token = [...successors][0] ?? token;
    }
    assertFewRefreshedAgain(nodes, parallel);
    const breaches = findBreaches(history, { graceMilliseconds: graceSeconds * 1000 });
    for (const breach of breaches) log(`${database}: ${breach.text}`);
    const refused = history.filter(({ outcome }) => outcome !== 'success').length;
    return {
      figures: {
        requests: history.length,
        'successors of a token × rounds': histogram(winners),
        'answers other than 200': refused,
        ...countBreaches(breaches),
      },
      holds: breaches.length === 0 && refused === 0 && winners.every((count) => count === 1),
    };
  } finally {
    await nodes.dispose();
  }
}

function race(nodes: Nodes, token: string): Promise<TokenCall[]> {
  return Promise.all(
    Array.from({ length: parallel }, (_, index) => {
      const door = doors[index % doors.length] ?? doors[0];
      const wire = nodes.wires[Math.floor(index / doors.length) % nodes.wires.length] ?? nodes.wires[0];
      return tryRefresh(nodes, token, door, { wire });
    }),
  );
}

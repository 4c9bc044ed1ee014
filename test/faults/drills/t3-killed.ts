import { randomInt } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { clientAuthentication } from '../../support/sign-in.ts';
import type { DatabaseKind } from '../../support/stores.ts';
import { type Drill, type DrillOptions, type DrillResult, onEachDatabase } from '../drill.ts';
import { countBreaches, findBreaches, type TokenCall } from '../history.ts';
import { assertFewRefreshedAgain, doors, type Nodes, openNodes, tryRefresh } from '../nodes.ts';

const sessionCount = { ofDrill: 12, amongTests: 4 };
/** Longer than a start takes on a busy machine. */
const graceSeconds = 60;

/** T3: the process dies under load; a client that resends its last token continues where it was. */
export const drill: Drill = {
  id: 'T3',
  title: 'kill -9 under load, restart, retry with the last token: no session is lost',
  rounds: 50,
  quickRounds: 1,
  quickDatabases: ['postgres'],
  run: (options) => onEachDatabase((database) => runOn(database, options), options.databases),
};

async function runOn(database: DatabaseKind, { rounds, log, amongTests = false }: DrillOptions): Promise<DrillResult> {
  const nodes = await openNodes(database, [`refresh.grace_seconds=${graceSeconds}`], 1);
  try {
    let service = nodes.services[0];
    const count = amongTests ? sessionCount.amongTests : sessionCount.ofDrill;
    let tokens = (await nodes.startSessions(count)).map(({ refresh_token }) => refresh_token);
    const history: TokenCall[] = [];
    const figures = { acknowledged: 0, unanswered: 0, committed: 0, refused: 0 };
    for (let round = 0; round < rounds; round += 1) {
      const before = history.length;
      const running = tokens.map((token) => refreshUntilBroken(nodes, token, history));
      while (history.length === before) await delay(5);
      await delay(randomInt(20, 300));
      await service?.kill();
      tokens = await Promise.all(running);
      service = await nodes.installation.serve();
      figures.committed += await countConsumed(nodes, tokens);
      const retries = await Promise.all(tokens.map((token) => tryRefresh(nodes, token, doors[1])));
      history.push(...retries);
      tokens = retries.map(({ sent, got }) => got ?? sent);
    }
    figures.acknowledged = history.filter(({ outcome }) => outcome === 'success').length;
    figures.unanswered = history.filter(({ outcome }) => outcome === 'no answer').length;
    figures.refused = history.filter(({ outcome }) => outcome === 'refused').length;
    assertFewRefreshedAgain(nodes, count);
    const breaches = findBreaches(history, { graceMilliseconds: graceSeconds * 1000 });
    for (const breach of breaches) log(`${database}: ${breach.text}`);
    return {
      figures: {
        kills: rounds,
        'refreshes answered': figures.acknowledged,
        'cut off by a kill': figures.unanswered,
        'of these committed before it': figures.committed,
        ...countBreaches(breaches),
      },
      holds: figures.refused === 0 && breaches.length === 0 && figures.unanswered > 0,
    };
  } finally {
    await nodes.dispose();
  }
}

/** Refreshes on and on; answers the token whose refresh brought no answer. */
async function refreshUntilBroken(nodes: Nodes, first: string, history: TokenCall[]): Promise<string> {
  let token = first;
  for (let turn = 0; ; turn += 1) {
    const made = await tryRefresh(nodes, token, doors[turn % 2] ?? doors[0]);
    history.push(made);
    if (made.outcome !== 'success') return token;
    token = made.got ?? '';
  }
}

/** How many tokens were used up although the answer was lost: introspection knows only the live one. */
async function countConsumed({ wires: [wire], client }: Nodes, tokens: readonly string[]): Promise<number> {
  const { headers, form } = clientAuthentication(client);
  const answers = await Promise.all(
    tokens.map((token) => wire.send('POST', '/oauth2/introspect', { headers, form: { ...form, token } })),
  );
  return answers.filter(({ body }) => body.active === false).length;
}

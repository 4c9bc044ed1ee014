import { setTimeout as delay } from 'node:timers/promises';
import { clientAuthentication, type Tokens } from '../../support/sign-in.ts';
import type { DatabaseKind } from '../../support/stores.ts';
import { type Drill, type DrillOptions, type DrillResult, onEachDatabase } from '../drill.ts';
import { countBreaches, findBreaches, type TokenCall } from '../history.ts';
import { assertFewRefreshedAgain, doors, type Nodes, openNodes, tryRefresh } from '../nodes.ts';

const graceSeconds = 1;

/** T2: a token reused after the grace period ends its family, at both doors and on all servers at once. */
export const drill: Drill = {
  id: 'T2',
  title: 'reuse of a refresh token after the grace period: the family is revoked at both doors at once',
  rounds: 50,
  quickRounds: 1,
  // Two servers share the one, and every surface test of reuse runs on the other.
  quickDatabases: ['postgres'],
  run: (options) => onEachDatabase((database) => runOn(database, options), options.databases),
};

async function runOn(database: DatabaseKind, { rounds, log }: DrillOptions): Promise<DrillResult> {
  const nodes = await openNodes(database, [`refresh.grace_seconds=${graceSeconds}`]);
  try {
    const history: TokenCall[] = [];
    const families = await rotate(nodes, await nodes.startSessions(rounds), history);
    await delay(graceSeconds * 1000 + 50);
    let accepted = 0;
    const milliseconds: number[] = [];
    for (const [index, family] of families.entries()) {
      const startedAt = performance.now();
      const reuse = await tryRefresh(nodes, family.used, doors[index % 2] ?? doors[0]);
      history.push(reuse);
      milliseconds.push(reuse.answeredAt - startedAt);
      const alive = await findAlive(nodes, family, history);
      if (reuse.outcome !== 'refused') alive.push('the reused token');
      for (const name of alive) log(`${database}: ${name} was accepted after the reuse`);
      accepted += alive.length;
    }
    assertFewRefreshedAgain(nodes, rounds);
    const breaches = findBreaches(history, { graceMilliseconds: graceSeconds * 1000 });
    for (const breach of breaches) log(`${database}: ${breach.text}`);
    return {
      figures: {
        families: families.length,
        ...countBreaches(breaches),
        'tokens still accepted': accepted,
        'slowest revocation, ms': Math.round(Math.max(...milliseconds)),
      },
      holds: accepted === 0 && breaches.length === 0,
    };
  } finally {
    await nodes.dispose();
  }
}

interface Family {
  /** A refresh token that was used up. */
  readonly used: string;
  readonly current: string;
  readonly accessToken: string;
}

function rotate(nodes: Nodes, sessions: readonly Tokens[], history: TokenCall[]): Promise<Family[]> {
  return Promise.all(
    sessions.map(async ({ refresh_token: used, access_token: accessToken }) => {
      const made = await tryRefresh(nodes, used, doors[0]);
      history.push(made);
      return { used, current: made.got ?? '', accessToken };
    }),
  );
}

/** What of the family still opens anything, anywhere. */
async function findAlive(nodes: Nodes, { current, accessToken }: Family, history: TokenCall[]): Promise<string[]> {
  const { wires, client } = nodes;
  const alive: string[] = [];
  const { headers, form } = clientAuthentication(client);
  for (const [node, wire] of wires.entries()) {
    for (const door of doors) {
      const tried = await tryRefresh(nodes, current, door, { wire });
      history.push(tried);
      if (tried.outcome !== 'refused') alive.push(`the successor at ${door} of server ${node}`);
    }
    const bearer = { authorization: `Bearer ${accessToken}` };
    const userinfo = await wire.send('GET', '/oauth2/userinfo', { headers: bearer });
    if (userinfo.status !== 401) alive.push(`the access token at userinfo of server ${node}`);
    for (const token of [current, accessToken]) {
      const seen = await wire.send('POST', '/oauth2/introspect', { headers, form: { ...form, token } });
      if (seen.body.active !== false) alive.push(`a token at introspection of server ${node}`);
    }
  }
  return alive;
}

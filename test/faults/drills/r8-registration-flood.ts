import { openAccount } from '../../support/running-account.ts';
import { authorizePath, CookieJar, redirectUri, walk } from '../../support/sign-in.ts';
import { percentile } from '../../support/statistics.ts';
import type { DatabaseKind } from '../../support/stores.ts';
import { type Drill, type DrillOptions, type DrillResult, onEachDatabase } from '../drill.ts';
import { openNodes } from '../nodes.ts';
import { duration } from '../timing.ts';

const perRound = 500;
const allowedPerRound = 100;
const atOnce = 20;

/** R8: a flood of registrations ends at the limit of its credential, and other accounts continue. */
export const drill: Drill = {
  id: 'R8',
  title: 'a flood of registrations: 429 with Retry-After beyond the limit, other accounts unaffected',
  rounds: 20,
  quickRounds: null,
  run: (options) => onEachDatabase((database) => runOn(database, options)),
};

async function runOn(database: DatabaseKind, { rounds }: DrillOptions): Promise<DrillResult> {
  const allowed = rounds * allowedPerRound;
  const nodes = await openNodes(database, [], 1);
  try {
    const [service] = nodes.services;
    if (!service) throw new Error('no server runs');
    const flooded = await openAccount(service, [`limit.register=${allowed}/h`]);
    const headers = { authorization: `Bearer ${await flooded.bearer('register_clients')}` };
    const json = { client_name: 'One of many', redirect_uris: [redirectUri] };
    const statuses = new Map<string, number>();
    let left = rounds * perRound;
    const neighbour = watchNeighbour(nodes, () => left > 0);
    await Promise.all(
      Array.from({ length: atOnce }, async () => {
        while (left > 0) {
          left -= 1;
          const answer = await flooded.wire.call('POST', '/oauth2/register', { headers, json });
          const name =
            answer.status === 429 && !answer.headers['retry-after'] ? '429 without Retry-After' : answer.status;
          statuses.set(String(name), (statuses.get(String(name)) ?? 0) + 1);
        }
      }),
    );
    const times = await neighbour;
    flooded.close();
    return {
      figures: {
        requests: rounds * perRound,
        limit: allowed,
        registered: statuses.get('201') ?? 0,
        'refused with 429 and Retry-After': statuses.get('429') ?? 0,
        "another account's sign-in page, p99, ms": Math.round(percentile(times, 0.99)),
      },
      holds: statuses.get('201') === allowed && statuses.get('429') === rounds * perRound - allowed && times.length > 0,
    };
  } finally {
    await nodes.dispose();
  }
}

/** Times of the sign-in page of another account, which must come each time, for as long as the flood continues. */
async function watchNeighbour(
  { account, wires: [wire], client }: Awaited<ReturnType<typeof openNodes>>,
  goesOn: () => boolean,
) {
  const times: number[] = [];
  while (goesOn()) {
    const { jar, answer } = await walk(account, new CookieJar(), authorizePath(client));
    if (answer.status !== 200) throw new Error(`the sign-in page was answered ${answer.status}`);
    times.push(duration(await wire.send('GET', authorizePath(client), { headers: jar.header })));
  }
  return times;
}

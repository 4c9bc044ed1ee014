import { basic } from '../../support/app.ts';
import type { DatabaseKind } from '../../support/stores.ts';
import { type Drill, type DrillOptions, type DrillResult, onEachDatabase } from '../drill.ts';
import { openNodes } from '../nodes.ts';
import { duration, judge, measure } from '../timing.ts';

/** T12: the time of a refusal tells neither whether a client exists nor how much of its secret was right. */
export const drill: Drill = {
  id: 'T12',
  title: 'times of refused clients: unknown or known, secret wrong at its start or at its end',
  rounds: 2000,
  quickRounds: null,
  run: (options) => onEachDatabase((database) => runOn(database, options)),
};

async function runOn(database: DatabaseKind, { rounds }: DrillOptions): Promise<DrillResult> {
  const nodes = await openNodes(database, ['limit.client-auth=off'], 1);
  try {
    const [wire] = nodes.wires;
    const { client_id: known, client_secret: secret = '' } = nodes.client;
    const unknown = flip(known, known.length - 1);
    const early = flip(secret, secret.indexOf('_') + 1);
    const late = flip(secret, secret.length - 2);
    const form = { grant_type: 'refresh_token', refresh_token: 'rt_1' };
    const shot = (path: string, id: string, password: string) => async () => {
      const answer = await wire.call('POST', path, { headers: basic(id, password), form });
      if (answer.status !== 401) throw new Error(`${path} answered ${answer.status}: ${answer.text}`);
      return duration(answer);
    };
    const times = await measure(
      {
        'unknown client': shot('/oauth2/token', unknown, early),
        'known client, wrong from the start': shot('/oauth2/token', known, early),
        'known client, wrong at the end': shot('/oauth2/token', known, late),
        'documented door, wrong from the start': shot('/oidc/2/token', known, early),
        'documented door, wrong at the end': shot('/oidc/2/token', known, late),
      },
      rounds,
    );
    return judge(times, [
      ['unknown client', 'known client, wrong from the start'],
      ['known client, wrong from the start', 'known client, wrong at the end'],
      ['documented door, wrong from the start', 'documented door, wrong at the end'],
    ]);
  } finally {
    await nodes.dispose();
  }
}

/** The same text with another character at one place. */
function flip(text: string, at: number): string {
  return text.slice(0, at) + (text[at] === '0' ? '1' : '0') + text.slice(at + 1);
}

/** The checker of histories against services that do break the rule: each planted fault shows in what clients saw. */

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createApp } from '../../src/app.ts';
import { Failure } from '../../src/domain/failure.ts';
import type { Services } from '../../src/services.ts';
import type { ConsumptionOutcome } from '../../src/store/consumption.ts';
import { seenFrom, type TestApp } from '../support/app.ts';
import { createTestAccount, testServices } from '../support/services.ts';
import { clientAuthentication, type RegisteredClient, refresh, signedIn } from '../support/sign-in.ts';
import { openTestStore } from '../support/stores.ts';
import { type BreachKind, countBreaches, findBreaches, type TokenCall } from './history.ts';
import { doors } from './nodes.ts';

type Consume = Services['store']['grants']['consume'];

/** The faulty service that replaces the real one, and its grace period. */
interface Plant {
  readonly consume: (right: Consume) => Consume;
  readonly graceSeconds?: number;
}

const rule = { graceMilliseconds: 10_000 };

const right: Plant = { consume: (consume) => consume };

const plants: Readonly<Record<BreachKind, Plant>> = {
  'tokens with two successors': {
    // Who comes second gets the successor that was made for it.
    consume: (consume) => async (consumption) => {
      const result = await consume(consumption);
      return result.outcome === 'repeated' ? { ...result, outcome: 'rotated' } : result;
    },
  },
  'accepted after revocation': {
    // An answer kept in memory outlives the grant.
    consume: (consume) => {
      let kept: ConsumptionOutcome | null = null;
      return async (consumption) => {
        const result = await consume(consumption);
        if (result.outcome === 'rotated') kept = result;
        return result.outcome === 'refused' && kept ? kept : result;
      };
    },
  },
  'families wrongly revoked': { consume: (consume) => consume, graceSeconds: 0 },
  'sessions lost': {
    // The answer to the first refresh is lost after its commit, and there is no grace period for a retry.
    consume: (consume) => {
      let lost = false;
      return async (consumption) => {
        const result = await consume(consumption);
        if (lost) return result;
        lost = true;
        throw new Failure('unavailable');
      };
    },
    graceSeconds: 0,
  },
};

/** An application in which the plant grows. */
async function openPlanted({ consume, graceSeconds = 10 }: Plant): Promise<TestApp> {
  const opened = await openTestStore('sqlite');
  const services = await testServices(opened.store);
  const { grants } = services.store;
  const store = { ...services.store, grants: { ...grants, consume: consume(grants.consume) } };
  const planted = { ...services, store };
  const settings = { 'refresh.grace_seconds': String(graceSeconds) };
  const account = await createTestAccount(planted, { settings });
  return seenFrom(account, createApp(planted), planted, opened);
}

async function tryRefresh(app: TestApp, client: RegisteredClient, sent: string, turn: number): Promise<TokenCall> {
  const calledAt = performance.now();
  const { status, body } = await refresh(app, client, sent, doors[turn % 2]);
  const call = { client: client.client_id, sent, calledAt, answeredAt: performance.now() };
  if (status === 200) return { ...call, got: body.refresh_token, outcome: 'success' };
  return { ...call, got: null, outcome: status >= 500 ? 'no answer' : 'refused' };
}

async function revoke(app: TestApp, client: RegisteredClient, sent: string): Promise<TokenCall> {
  const { headers, form } = clientAuthentication(client);
  const calledAt = performance.now();
  const answer = await app.send('POST', '/oauth2/revoke', { headers, form: { ...form, token: sent } });
  assert.equal(answer.status, 200);
  const call = { client: client.client_id, sent, calledAt, answeredAt: performance.now() };
  return { ...call, got: null, outcome: 'revoked' };
}

/** What a client sees: a race, a chain, a retry, a revocation, one more try. */
async function record(app: TestApp): Promise<TokenCall[]> {
  const { client, tokens } = await signedIn(app);
  const history: TokenCall[] = [];
  let token = tokens.refresh_token;
  for (let turn = 0; turn < 4; turn += 1) {
    const calls = turn % 2 === 0 ? [0, 1, 2] : [0];
    const answers = await Promise.all(calls.map((index) => tryRefresh(app, client, token, turn + index)));
    history.push(...answers);
    token = answers.find(({ got }) => got !== null)?.got ?? token;
  }
  history.push(await revoke(app, client, token));
  history.push(await tryRefresh(app, client, token, 0));
  return history;
}

async function findBreachesIn(plant: Plant): Promise<Record<BreachKind, number>> {
  const app = await openPlanted(plant);
  try {
    return countBreaches(findBreaches(await record(app), rule));
  } finally {
    await app.dispose();
  }
}

describe('what clients observed of a service', () => {
  it('that follows the rules is consistent', async () => {
    const found = Object.values(await findBreachesIn(right));
    assert.deepEqual(found, [0, 0, 0, 0]);
  });

  for (const [kind, plant] of Object.entries(plants)) {
    it(`with ${kind} is inconsistent`, async () => {
      const found = await findBreachesIn(plant);
      assert.ok(found[kind as BreachKind] > 0, JSON.stringify(found));
    });
  }
});

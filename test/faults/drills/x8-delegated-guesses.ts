import { createApp } from '../../../src/app.ts';
import { createApiKey } from '../../../src/domain/callers/api-keys.ts';
import { createUser } from '../../../src/domain/users/users.ts';
import { seenFrom, type TestApp } from '../../support/app.ts';
import { listenTo } from '../../support/listening.ts';
import { createTestAccount, testServices } from '../../support/services.ts';
import { clientAuthentication, password, registerClient } from '../../support/sign-in.ts';
import { type DatabaseKind, openTestStore } from '../../support/stores.ts';
import { countingPasswords } from '../counting-passwords.ts';
import { type Drill, type DrillOptions, type DrillResult, histogram, onEachDatabase } from '../drill.ts';

const guesses = 1000;
const manyUsers = 200;
const keys = 100;
/** Calls that each key has in the attack on many users. */
const perKey = 4;
const mostEvaluated = 10;

/** X8: whoever has keys guesses no more passwords of a user than anybody else, and no more in all than the keys allow. */
export const drill: Drill = {
  id: 'X8',
  title: '1,000 guesses at once through delegated authentication with 100 keys, at one user and at 200',
  rounds: 5,
  quickRounds: 1,
  run: (options) => onEachDatabase((database) => runOn(database, options)),
};

async function runOn(database: DatabaseKind, { rounds, log }: DrillOptions): Promise<DrillResult> {
  const [atOne, atMany]: [number[], number[]] = [[], []];
  let opened = 0;
  const odd = new Set<string>();
  for (let round = 0; round < rounds; round += 1) {
    for (const [users, evaluated] of [
      [1, atOne],
      [manyUsers, atMany],
    ] as const) {
      const result = await attack(database, users);
      evaluated.push(result.evaluated);
      opened += result.opened;
      for (const one of result.odd) odd.add(one);
    }
  }
  if (opened > 0) log(`${database}: the right password was accepted at another door after ${guesses} guesses`);
  return {
    figures: {
      'guesses evaluated at one user × rounds': histogram(atOne),
      [`guesses evaluated at ${manyUsers} users, ${keys} keys of ${perKey} a minute × rounds`]: histogram(atMany),
      'sign-ins of the victim at another door after it': opened,
      ...(odd.size > 0 && { 'answers that are none': [...odd].join(', ') }),
    },
    holds:
      opened === 0 &&
      odd.size === 0 &&
      atOne.every((count) => count > 0 && count <= mostEvaluated) &&
      atMany.every((count) => count === keys * perKey),
  };
}

async function attack(database: DatabaseKind, users: number) {
  const counter = countingPasswords();
  const opened = await openTestStore(database);
  try {
    const services = await testServices(opened.store, { passwords: counter.passwords });
    const limit = users === 1 ? 'off' : `${perKey}/min`;
    const settings = { 'grant.password': 'on', 'limit.delegated': limit };
    const account = await createTestAccount(services, { settings });
    const app = seenFrom(account, createApp(services), services, opened);
    for (let index = 0; index < users; index += 1) {
      await createUser(services, account, { email: `victim${index}@example.com`, password });
    }
    const odd = await guess(app, users);
    return { evaluated: counter.evaluated, odd, opened: users === 1 ? Number(await opensElsewhere(app)) : 0 };
  } finally {
    await opened.dispose();
  }
}

/** Sends all guesses at once; answers what came back that is no answer to a guess. */
async function guess(app: TestApp, users: number): Promise<string[]> {
  const made = Array.from({ length: keys }, () => createApiKey(app.services, app.account, 'attacker'));
  const apiKeys = (await Promise.all(made)).map(({ apiKey }) => apiKey);
  const { wire, close } = await listenTo(app);
  const answers = await Promise.all(
    Array.from({ length: guesses }, (_, index) => {
      const api_key = apiKeys[index % keys] ?? '';
      const query = { api_key, email: `victim${index % users}@example.com`, password: `guess ${index}` };
      return wire.call('GET', `/api/v1/delegated_auth?${new URLSearchParams(query)}`);
    }),
  );
  await close();
  return answers
    .filter(({ status, text }) => status !== 200 || !text.includes('<message>Invalid password<'))
    .map(({ status, text }) => `${status} ${text.slice(0, 100)}`);
}

/** Whether the right password still signs the victim in at another door. */
async function opensElsewhere(app: TestApp): Promise<boolean> {
  const client = await registerClient(app);
  const { headers, form } = clientAuthentication(client);
  const { status } = await app.send('POST', '/oauth2/token', {
    headers,
    form: { ...form, grant_type: 'password', username: 'victim0@example.com', password, scope: 'openid' },
  });
  return status === 200;
}

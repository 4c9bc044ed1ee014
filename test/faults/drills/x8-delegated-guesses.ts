import { createApp } from '../../../src/app.ts';
import { createApiKey } from '../../../src/domain/callers/api-keys.ts';
import { seenFrom, type TestApp } from '../../support/app.ts';
import { listenTo } from '../../support/listening.ts';
import { createTestAccount, testServices } from '../../support/services.ts';
import { clientAuthentication, password, registerClient } from '../../support/sign-in.ts';
import { type DatabaseKind, openTestStore } from '../../support/stores.ts';
import { addUser } from '../../support/users.ts';
import { countingPasswords } from '../counting-passwords.ts';
import { type Drill, type DrillOptions, type DrillResult, onEachDatabase } from '../drill.ts';

/** How many of each a round has. */
const guessesPerRound = 100;
const keysPerRound = 10;
const manyUsers = 200;
/** Calls that each key has in the attack on many users. */
const perKey = 4;
/** All keys of an account have so many times the limit of one. */
const keysCounted = 4;
const mostEvaluated = 10;

/** X8: a holder of keys can guess no more passwords of a user than others, and no more in all than the keys allow. */
export const drill: Drill = {
  id: 'X8',
  title: 'simultaneous guesses by delegated authentication, at one user and at 200 (a round: 100 guesses and 10 keys)',
  rounds: 10,
  quickRounds: 1,
  quickDatabases: ['sqlite'],
  run: (options) => onEachDatabase((database) => runOn(database, options), options.databases),
};

async function runOn(database: DatabaseKind, { rounds, log }: DrillOptions): Promise<DrillResult> {
  const keys = rounds * keysPerRound;
  const allowed = Math.min(keys, keysCounted) * perKey;
  const atOne = await attack(database, rounds, 1);
  const atMany = await attack(database, rounds, manyUsers);
  const odd = new Set([...atOne.odd, ...atMany.odd]);
  if (atOne.opened) log(`${database}: the right password was accepted at another door after the guesses`);
  return {
    figures: {
      'guesses evaluated at one user': atOne.evaluated,
      [`guesses evaluated at ${manyUsers} users, ${keys} keys of ${perKey} a minute`]: atMany.evaluated,
      'sign-ins of the victim at another door after it': Number(atOne.opened),
      ...(odd.size > 0 && { 'unexpected answers': [...odd].join(', ') }),
    },
    holds:
      !atOne.opened &&
      odd.size === 0 &&
      atOne.evaluated > 0 &&
      atOne.evaluated <= mostEvaluated &&
      atMany.evaluated === allowed,
  };
}

async function attack(database: DatabaseKind, rounds: number, users: number) {
  const counter = countingPasswords();
  const opened = await openTestStore(database);
  try {
    const services = await testServices(opened.store, { passwords: counter.passwords });
    const limit = users === 1 ? 'off' : `${perKey}/min`;
    const settings = { 'grant.password': 'on', 'limit.delegated': limit };
    const account = await createTestAccount(services, { settings });
    const app = seenFrom(account, createApp(services), services, opened);
    for (let index = 0; index < users; index += 1) {
      await addUser(services, account, { email: `victim${index}@example.com`, password });
    }
    const odd = await guess(app, rounds, users);
    return { evaluated: counter.evaluated, odd, opened: users === 1 && (await opensElsewhere(app)) };
  } finally {
    await opened.dispose();
  }
}

/** Sends all guesses at once; returns the answers that are not answers to a guess. */
async function guess(app: TestApp, rounds: number, users: number): Promise<string[]> {
  const keys = rounds * keysPerRound;
  const made = Array.from({ length: keys }, () => createApiKey(app.services, app.account, 'attacker'));
  const apiKeys = (await Promise.all(made)).map(({ apiKey }) => apiKey);
  const { wire, close } = await listenTo(app);
  const answers = await Promise.all(
    Array.from({ length: rounds * guessesPerRound }, (_, index) => {
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

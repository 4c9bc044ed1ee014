import { createApp } from '../../../src/app.ts';
import { seenFrom, type TestApp } from '../../support/app.ts';
import { listenTo } from '../../support/listening.ts';
import { createTestAccount, testServices } from '../../support/services.ts';
import { clientAuthentication, makeUser, password, registerClient } from '../../support/sign-in.ts';
import { type DatabaseKind, openTestStore } from '../../support/stores.ts';
import { countingPasswords } from '../counting-passwords.ts';
import { type Drill, type DrillOptions, type DrillResult, histogram, onEachDatabase } from '../drill.ts';

const guesses = 1000;
/** Wrong passwords in a row that close sign-in by password (docs/document-gaps.md#hosted-pages). */
const mostEvaluated = 10;

/** L6: with any number of simultaneous guesses and addresses, no more than the limit are checked. */
export const drill: Drill = {
  id: 'L6',
  title: '1,000 parallel guesses at one password from 1 and from 200 addresses',
  rounds: 10,
  quickRounds: null,
  run: (options) => onEachDatabase((database) => runOn(database, options)),
};

async function runOn(database: DatabaseKind, { rounds, log }: DrillOptions): Promise<DrillResult> {
  const evaluated: Record<number, number[]> = { 1: [], 200: [] };
  let blockedMinutes = 0;
  let opened = 0;
  for (let round = 0; round < rounds; round += 1) {
    for (const sources of [1, 200]) {
      const result = await attack(database, sources);
      evaluated[sources]?.push(result.evaluated);
      blockedMinutes = Math.max(blockedMinutes, result.blockedMinutes);
      if (result.opened) log(`${database}: the right password was accepted after ${guesses} guesses`);
      opened += Number(result.opened);
    }
  }
  return {
    figures: {
      'guesses evaluated from 1 address × rounds': histogram(evaluated[1] ?? []),
      'guesses evaluated from 200 addresses × rounds': histogram(evaluated[200] ?? []),
      'most minutes the victim is blocked': blockedMinutes,
      'sign-ins while it was': opened,
    },
    holds:
      opened === 0 &&
      Object.values(evaluated)
        .flat()
        .every((count) => count > 0 && count <= mostEvaluated),
  };
}

async function attack(database: DatabaseKind, sources: number) {
  const counter = countingPasswords();
  const opened = await openTestStore(database);
  try {
    const services = await testServices(opened.store, { passwords: counter.passwords });
    const account = await createTestAccount(services, { settings: { 'grant.password': 'on' } });
    const app = seenFrom(account, createApp(services, { trustProxy: ['127.0.0.1'] }), services, opened);
    return { evaluated: await guess(app, sources, counter), ...(await standingOfVictim(app)) };
  } finally {
    await opened.dispose();
  }
}

async function guess(app: TestApp, sources: number, counter: { readonly evaluated: number }): Promise<number> {
  const client = await registerClient(app);
  const user = await makeUser(app, client.app_id, { email: 'victim@example.com' });
  const { headers, form } = clientAuthentication(client);
  const { wire, close } = await listenTo(app);
  const answers = await Promise.all(
    Array.from({ length: guesses }, (_, index) =>
      wire.call('POST', '/oauth2/token', {
        headers: { ...headers, 'x-forwarded-for': `192.0.2.${index % sources}` },
        form: {
          ...form,
          grant_type: 'password',
          username: user.email ?? '',
          password: `guess ${index}`,
          scope: 'openid',
        },
      }),
    ),
  );
  await close();
  const refused = answers.filter(({ status }) => status === 400 || status === 429);
  if (refused.length !== guesses) throw new Error('a guess was answered otherwise than by a refusal');
  return counter.evaluated;
}

/** How long sign-in is closed, and whether the right password opens it all the same. */
async function standingOfVictim(app: TestApp): Promise<{ blockedMinutes: number; opened: boolean }> {
  const { store, clock } = app.services;
  const user = await store.users.findByName(app.account.id, 'victim@example.com');
  const client = await registerClient(app);
  const { headers, form } = clientAuthentication(client);
  const { status } = await app.send('POST', '/oauth2/token', {
    headers,
    form: { ...form, grant_type: 'password', username: 'victim@example.com', password, scope: 'openid' },
  });
  return { blockedMinutes: ((user?.lockedUntil ?? clock.now()) - clock.now()) / 60_000, opened: status === 200 };
}

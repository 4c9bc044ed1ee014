/**
 * L6: parallel guesses do not outrun a counter. A file of its own, as each case asks a hundred times at once; drills
 * ask two hundred and a thousand times.
 */

import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, it } from 'node:test';
import type { Passwords } from '../../../src/services.ts';
import type { UserRecord } from '../../../src/store/users.ts';
import type { TestApp } from '../../support/app.ts';
import { isWhole, sampledDatabases } from '../../support/sample.ts';
import { makeUser, password, readForm, submit } from '../../support/sign-in.ts';
import type { DatabaseKind } from '../../support/stores.ts';
import { openWire } from '../../support/wire.ts';
import { openWith, type Setting, settle } from './browsing.ts';

/** More than the 60 that the address may fail, and than the 64 that may wait. */
const guesses = isWhole ? 200 : 100;

interface Counted {
  /** Passwords that were compared with a user's digest. */
  evaluated: number;
}

function openCounting(
  kind: DatabaseKind,
  settings: Readonly<Record<string, string>>,
  counted: Counted,
): Promise<TestApp> {
  return openWith(
    kind,
    ({ passwords }) => {
      const counting: Passwords = {
        ...passwords,
        withPlace: (share, work) =>
          passwords.withPlace(share, (verify) =>
            work((secret, digest) => {
              if (digest !== null) counted.evaluated += 1;
              return verify(secret, digest);
            }),
          ),
      };
      return { passwords: counting };
    },
    settings,
  );
}

/** Sends this many guesses at once to one server; returns how often each status occurred. */
async function storm(
  app: TestApp,
  setting: Setting,
  times: number,
  usernameOf: (index: number) => string,
): Promise<Map<number, number>> {
  const { jar, answer } = await setting.begin();
  const { action, fields } = readForm(answer.text);
  const server = createServer(app.app);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', 2_048, resolve));
  const wire = openWire({ port: (server.address() as AddressInfo).port, host: new URL(app.account.baseUrl).host });
  try {
    const answers = await Promise.all(
      Array.from({ length: times }, (_, index) => {
        const form = { ...fields, username: usernameOf(index), password: `guess number ${index}` };
        return wire.send('POST', action, { headers: jar.header, form });
      }),
    );
    const statuses = new Map<number, number>();
    for (const { status } of answers) statuses.set(status, (statuses.get(status) ?? 0) + 1);
    return statuses;
  } finally {
    wire.close();
    server.close().closeAllConnections();
  }
}

for (const kind of sampledDatabases) {
  describe(`guesses on ${kind}`, () => {
    it(`${guesses} at once for one user from one address: at most 10 are evaluated, and 60 examined (L6)`, async () => {
      const counted = { evaluated: 0 };
      const app = await openCounting(kind, { 'limit.sign-in': '60/h' }, counted);
      try {
        const setting = await settle(app);
        const statuses = await storm(app, setting, guesses, () => setting.user.email ?? '');
        assert.equal(counted.evaluated, 10);
        assert.deepEqual([statuses.get(401), statuses.get(429)], [60, guesses - 60], JSON.stringify([...statuses]));
      } finally {
        await app.dispose();
      }
    });

    it(`${guesses} at once for half as many users: no more are evaluated than the address may fail (L6)`, async () => {
      const counted = { evaluated: 0 };
      const app = await openCounting(kind, { 'limit.sign-in': '60/h' }, counted);
      try {
        const setting = await settle(app);
        const users: UserRecord[] = [];
        while (users.length < guesses / 2) users.push(await makeUser(app));
        const statuses = await storm(app, setting, guesses, (index) => users[index % users.length]?.email ?? '');
        assert.ok(counted.evaluated <= 60, String(counted.evaluated));
        assert.equal(statuses.get(429), guesses - 60);
      } finally {
        await app.dispose();
      }
    });

    it('the limit of the address off: still 10 are evaluated, and then not even the right one for 15 minutes (L6)', async () => {
      const counted = { evaluated: 0 };
      const app = await openCounting(kind, { 'limit.sign-in': 'off' }, counted);
      try {
        const setting = await settle(app);
        const statuses = await storm(app, setting, 2 * guesses, () => setting.user.email ?? '');
        assert.equal(counted.evaluated, 10);
        // With more than 64 waiting a guess is turned away with 503, and never let in.
        assert.deepEqual(
          [...statuses.keys()].filter((status) => status !== 401 && status !== 503),
          [],
        );
        const right = { username: setting.user.email ?? '', password };
        assert.equal((await submit(app, await setting.begin(), right)).answer.status, 401);
        assert.equal(counted.evaluated, 10);
        app.services.clock.advance(15 * 60_000);
        assert.equal((await submit(app, await setting.begin(), right)).answer.status, 200, 'the consent page');
      } finally {
        await app.dispose();
      }
    });
  });
}

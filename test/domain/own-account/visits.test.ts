/**
 * What a form of the account pages writes is decided in its transaction: a visit that is over by then changes nothing.
 */

import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { createApp } from '../../../src/app.ts';
import type { Store } from '../../../src/store/store.ts';
import { seenFrom, type TestApp } from '../../support/app.ts';
import { chosen } from '../../support/invites.ts';
import { givePasskey, passkeyOptionsOf, TestPasskey } from '../../support/passkeys.ts';
import { casesOn, isSampled } from '../../support/sample.ts';
import { codeAt, giveDevice, keyOf } from '../../support/second-factor.ts';
import { createTestAccount, testServices } from '../../support/services.ts';
import { formTo, password, readForm, submit, walk } from '../../support/sign-in.ts';
import { type SignedInBrowser, signedInBrowser } from '../../support/sign-out.ts';
import { databases, openTestStore } from '../../support/stores.ts';
import { setUser } from '../../support/users.ts';

const root = new URL('../../../', import.meta.url).pathname;
const minute = 60_000;

interface Form {
  /** Whether its page takes a sign-in of the last ten minutes. */
  readonly recent: boolean;
  /** Whether its user has a second factor, which the session has shown. */
  readonly withFactor?: boolean;
  /** The fields of the form, filled in. */
  fill(app: TestApp, browser: SignedInBrowser): Promise<Record<string, string>>;
}

const changePasskey = (change: 'rename' | 'remove'): Form => ({
  recent: true,
  withFactor: true,
  fill: async (app, { jar, user }) => {
    await givePasskey(app, user);
    const page = await walk(app, jar, '/account/passkeys');
    return { ...formTo(page, '/account/passkeys/change'), change, name: 'Another name' };
  },
});

/** By path, and what is pressed where a form has two buttons. */
const forms: Readonly<Record<string, Form>> = {
  '/account/password': {
    recent: true,
    fill: async (app, { jar }) => ({
      ...formTo(await walk(app, jar, '/account/password'), '/account/password'),
      current_password: password,
      ...chosen,
    }),
  },
  '/account/passkeys': {
    recent: true,
    fill: async (app, { jar }) => {
      const page = await walk(app, jar, '/account/passkeys');
      const credential = new TestPasskey(app.account.baseUrl).create(passkeyOptionsOf(page.answer.text));
      return { ...formTo(page, '/account/passkeys'), credential, name: 'Laptop' };
    },
  },
  '/account/passkeys/change rename': changePasskey('rename'),
  '/account/passkeys/change remove': changePasskey('remove'),
  '/account/second-factors/new': {
    recent: true,
    fill: async (app, { jar }) => {
      const { answer } = await walk(app, jar, '/account/second-factors/new');
      return { ...readForm(answer.text).fields, otp: codeAt(keyOf(answer.text), app.services.clock.now()) };
    },
  },
  '/account/second-factors/remove': {
    recent: true,
    withFactor: true,
    fill: async (app, { jar }) =>
      formTo(await walk(app, jar, '/account/second-factors'), '/account/second-factors/remove'),
  },
  '/account/recovery-codes': {
    recent: true,
    withFactor: true,
    fill: async (app, { jar }) => formTo(await walk(app, jar, '/account/second-factors'), '/account/recovery-codes'),
  },
  '/account/sessions/end': {
    recent: false,
    fill: async (app, { jar, user }) => {
      const page = await walk(app, jar, '/account/sessions');
      const { csrf = '' } = formTo(page, '/account/sessions/end-all');
      const [own] = await app.services.store.sessions.listOfUser(app.account.id, user.id, 1);
      assert.ok(own);
      return { csrf, session_id: String(own.id) };
    },
  },
  '/account/sessions/end-all': {
    recent: false,
    fill: async (app, { jar }) => formTo(await walk(app, jar, '/account/sessions'), '/account/sessions/end-all'),
  },
  '/account/apps/remove': {
    recent: false,
    fill: async (app, { jar }) => formTo(await walk(app, jar, '/account/apps'), '/account/apps/remove'),
  },
};

interface Change {
  /** Which forms it ends the visit for. */
  concerns(form: Form): boolean;
  /** Status of the answer. */
  readonly status: number;
  make(app: TestApp, browser: SignedInBrowser): Promise<unknown>;
}

/** What comes about between the look at the session and the transaction. */
const changes: Readonly<Record<string, Change>> = {
  'every session of the user ends': {
    concerns: () => true,
    status: 400,
    make: ({ services, account }, { user }) => services.store.sessions.endOfUser(account.id, user.id),
  },
  'the user is locked': {
    concerns: () => true,
    status: 403,
    make: ({ services, account }, { user }) => setUser(services, account, user.id, { status: 'locked' }),
  },
  'the session has been unused for too long': {
    concerns: () => true,
    status: 400,
    make: async ({ services }) => services.clock.advance(25 * 60 * minute),
  },
  'the sign-in is no longer recent': {
    concerns: ({ recent }) => recent,
    status: 400,
    make: async ({ services }) => services.clock.advance(10 * minute + 1),
  },
  'another browser sets up a second factor': {
    concerns: ({ recent, withFactor = false }) => recent && !withFactor,
    status: 400,
    make: (app, { user }) => giveDevice(app, user),
  },
};

for (const kind of databases) {
  describe(`a visit that ends before its form writes, on ${kind}`, () => {
    const check = casesOn(kind, it);
    let app: TestApp;
    /** Done before the next transaction begins. */
    let meanwhile: (() => Promise<unknown>) | null = null;
    before(async () => {
      const { store: plain, url, dispose } = await openTestStore(kind);
      const store: Store = {
        ...plain,
        transaction: async (work) => {
          const change = meanwhile;
          meanwhile = null;
          await change?.();
          return plain.transaction(work);
        },
      };
      const services = await testServices(store);
      const settings = { 'limit.sign-in': 'off', 'limit.register': 'off' };
      const account = await createTestAccount(services, { settings });
      app = seenFrom(account, createApp(services), services, { url, dispose });
    });
    after(() => app.dispose());

    /** A browser that is signed in, and the form as it would send it. */
    async function ready(form: Form): Promise<{ browser: SignedInBrowser; fields: Record<string, string> }> {
      const browser = await signedInBrowser(app);
      if (form.withFactor) {
        const device = await giveDevice(app, browser.user);
        await submit(app, await walk(app, browser.jar, '/account/second-factors'), { otp: device.code() });
      }
      return { browser, fields: await form.fill(app, browser) };
    }

    const newest = async () => (await app.services.store.events.listBefore(app.account.id, null, 1))[0]?.id ?? 0;

    // One place decides for all forms: each is tried with every third change, the next ones with the others.
    for (const [row, [name, form]] of Object.entries(forms).entries()) {
      const [path = ''] = name.split(' ');
      for (const [column, [what, change]] of Object.entries(changes).entries()) {
        if (!change.concerns(form) || !isSampled(row + column, 3)) continue;
        check(`${what}: ${name} changes nothing`, async () => {
          const { browser, fields } = await ready(form);
          let before = 0;
          meanwhile = async () => {
            await change.make(app, browser);
            before = await newest();
          };
          const { status } = await app.send('POST', path, { headers: browser.jar.header, form: fields });
          assert.ok(before > 0, 'the form did not reach a transaction');
          assert.equal(status, change.status);
          assert.equal(await newest(), before, 'the trail has a record');
        });
      }

      check(`without a change: ${name} succeeds`, async () => {
        const { browser, fields } = await ready(form);
        const before = await newest();
        const { status } = await app.send('POST', path, { headers: browser.jar.header, form: fields });
        assert.ok([200, 303].includes(status), String(status));
        assert.ok((await newest()) > before);
      });
    }
  });
}

describe('the forms of the account pages', () => {
  it('are all covered above', () => {
    const { paths } = JSON.parse(readFileSync(join(root, 'generated/pages.json'), 'utf8')) as {
      readonly paths: Readonly<Record<string, object>>;
    };
    const written = Object.entries(paths).filter(([path, item]) => path.startsWith('/account') && 'post' in item);
    const tried = new Set(Object.keys(forms).map((name) => name.split(' ')[0]));
    assert.deepEqual(written.map(([path]) => path).sort(), [...tried].sort());
  });

  it('write only in a visit: nothing else starts a transaction', () => {
    const beginners = ['src/domain/own-account', 'src/surfaces/pages/account'].flatMap((folder) =>
      readdirSync(join(root, folder))
        .map((name) => `${folder}/${name}`)
        .filter((file) => /\btransaction\b\s*\(/.test(readFileSync(join(root, file), 'utf8'))),
    );
    assert.deepEqual(beginners, ['src/domain/own-account/visit.ts']);
  });
});

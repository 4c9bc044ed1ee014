/** Walks through the console: on SQLite, and in a drill on both databases. */

import { after, before, describe } from 'node:test';
import type { Page } from 'playwright-core';
import type { UserRecord } from '../../../src/store/users.ts';
import { waitUntil } from '../../support/browser.ts';
import type { Answer } from '../../support/conforms.ts';
import { makeAdministrator } from '../../support/console.ts';
import { sampledDatabases } from '../../support/sample.ts';
import { runningClock } from '../../support/services.ts';
import { makeUser } from '../../support/sign-in.ts';
import { openStage, type Stage } from '../stage.ts';
import { type Look, stayAtConsole, visitConsole } from './visit-console.ts';

export const title = (page: Page, text: string) =>
  page.getByRole('heading', { level: 1, name: text, exact: true }).waitFor();

export const said = (page: Page, text: string) => page.getByRole('status').getByText(text).waitFor();

/** All that the screen asks has been answered: what an administrator loses then is noticed by the next call alone. */
export async function settled(page: Page): Promise<void> {
  // A log that is followed never idles.
  const isFollowing = /\/hooks$|[?&]view=log/.test(page.url());
  if (!isFollowing) await page.waitForLoadState('networkidle');
  await waitUntil(page, "!document.querySelector('main :is(.waiting, [aria-busy=true])')");
}

export const pathOf = (user: UserRecord) => `/users/${user.id}`;

/** What walks share: an account with an administrator, and a user. */
export interface Walks {
  readonly stage: Stage;
  readonly administrator: UserRecord;
  readonly grace: UserRecord;
  /** Opens the console at a path, as the administrator, who stays signed in, unless said. */
  open(path: string, look: Look, who?: UserRecord): Promise<void>;
  /** A user as the API shows it now. */
  now(user: UserRecord): Promise<Answer['body']>;
}

async function gatherWalks(stage: Stage): Promise<Walks> {
  const administrator = await makeAdministrator(stage.app, ['manage_all'], { firstname: 'Root', lastname: 'Admin' });
  const grace = await makeUser(stage.app, undefined, { firstname: 'Grace', lastname: 'Hopper', username: 'grace' });
  const stay = stayAtConsole(stage, administrator);
  return {
    stage,
    administrator,
    grace,
    open: (path, look, who) => (who ? visitConsole(stage, who, { path }, look) : stay(path, look)),
    now: async (user) => {
      const headers = { authorization: `Bearer ${await stage.app.bearer('read_all')}` };
      return (await stage.app.send('GET', `/api/2${pathOf(user)}`, { headers })).body;
    },
  };
}

/** Declares walks; what they share is there once the first of them runs. */
export function describeWalks(name: string, declare: (walks: () => Walks) => void): void {
  for (const kind of sampledDatabases) {
    describe(`${name} on ${kind}`, () => {
      let walks: Walks | undefined;
      before(async () => {
        walks = await gatherWalks(await openStage({}, { clock: runningClock() }, kind));
      });
      after(() => walks?.stage.dispose());
      declare(() => {
        if (!walks) throw new Error('walks are taken by tests');
        return walks;
      });
    });
  }
}

/** Browsers in the middle of a sign-in, as far as each page needs them. */

import assert from 'node:assert/strict';
import { createPolicy } from '../../src/domain/policies/policies.ts';
import type { UserRecord } from '../../src/store/users.ts';
import type { TestApp } from '../support/app.ts';
import { codeAt, giveDevice, keyOf } from '../support/second-factor.ts';
import { authorizePath, CookieJar, makeUser, password, type RegisteredClient, readForm } from '../support/sign-in.ts';

/**
 * Where a sign-in stands. `open`: nobody is signed in. `code`, `enrolment`: the password was right, and a code of a
 * device is asked for, or the first code of a new one. `expired`: the password was right and has to be replaced.
 * `consent`: the user is asked. `decision`: the same, and what was decided may be decided again. `granted`: only
 * `/continue` is left.
 */
export type Stage = 'open' | 'code' | 'enrolment' | 'expired' | 'consent' | 'decision' | 'granted';

interface Session {
  readonly jar: CookieJar;
  readonly user: UserRecord;
}

/** A browser with the sign-in it is in, and the token of the page it sees. */
export interface Browser extends Session {
  readonly requestId: string;
  readonly csrf: string;
  /** The code that the page asks for. */
  readonly code?: () => string;
}

/** More sessions than requests at once are of no use. */
const mostSessions = 32;

export class Browsers {
  readonly #app: TestApp;
  readonly #client: () => Promise<RegisteredClient>;
  readonly #idle: Record<Stage, Browser[]> = {
    open: [],
    code: [],
    enrolment: [],
    expired: [],
    consent: [],
    decision: [],
    granted: [],
  };
  #sessions: Session[] = [];
  #begun = 0;
  #users: UserRecord[] = [];

  constructor(app: TestApp, client: () => Promise<RegisteredClient>) {
    this.#app = app;
    this.#client = client;
  }

  forget(): void {
    this.#sessions = [];
    this.#users = [];
    for (const browsers of Object.values(this.#idle)) browsers.length = 0;
  }

  /** A browser for one request alone, to be given back. */
  async take(stage: Stage): Promise<Browser> {
    const idle = this.#idle[stage].pop();
    if (idle) return idle;
    if (stage === 'open') {
      const user = this.#users.pop() ?? (await makeUser(this.#app, (await this.#client()).app_id));
      return this.#begin({ jar: new CookieJar(), user }, '/sign-in');
    }
    if (stage === 'code') return this.#askForCode();
    if (stage === 'enrolment') return this.#askToEnrol();
    if (stage === 'expired') return this.#expire();
    const session = this.#sessions.pop() ?? (await this.#signIn());
    const browser = await this.#begin(session, '/consent');
    if (stage === 'granted') await this.#submit(browser, '/consent', { decision: 'allow' });
    return browser;
  }

  giveBack(stage: Stage, browser: Browser): void {
    this.#idle[stage].push(browser);
  }

  /** Keeps the session of a browser whose sign-in came to its end. */
  giveBackSession({ jar, user }: Session): void {
    if (this.#sessions.length < mostSessions) this.#sessions.push({ jar, user });
    else this.#users.push(user);
  }

  /** Begins a sign-in and reads the form of the page it stands at. */
  async #begin({ jar, user }: Session, page: string): Promise<Browser> {
    this.#begun += 1;
    const response_type = this.#begun % 2 ? 'code' : 'id_token token';
    const mode = this.#begun % 3 ? {} : { response_mode: 'form_post' };
    const path = authorizePath(await this.#client(), { prompt: 'consent', response_type, ...mode });
    const begun = await this.#app.send('GET', path, { headers: jar.header });
    jar.keep(begun);
    const next = new URL(String(begun.headers['location']), this.#app.account.baseUrl);
    return this.#look({ jar, user }, page, next.search);
  }

  async #look({ jar, user }: Session, page: string, search: string): Promise<Browser> {
    const shown = await this.#app.send('GET', `${page}${search}`, { headers: jar.header });
    assert.equal(shown.status, 200, shown.text);
    const csrf = readForm(shown.text).fields['csrf'] ?? '';
    return { jar, user, requestId: new URLSearchParams(search).get('request') ?? '', csrf };
  }

  async #signIn(): Promise<Session> {
    const browser = await this.take('open');
    await this.#submit(browser, '/sign-in', { username: browser.user.email ?? '', password });
    return browser;
  }

  /** A separate user, whose password no longer works. */
  async #expire(): Promise<Browser> {
    const browser = await this.take('open');
    const { services, account } = this.#app;
    await services.store.users.update(account.id, browser.user.id, { status: 4 });
    await this.#submit(browser, '/sign-in', { username: browser.user.email ?? '', password });
    return this.#look(browser, '/new-password', `?request=${browser.requestId}`);
  }

  /** A user of its own, whose code was not used. */
  async #askForCode(): Promise<Browser> {
    const browser = await this.take('open');
    const { code } = await giveDevice(this.#app, browser.user);
    await this.#submit(browser, '/sign-in', { username: browser.user.email ?? '', password });
    return { ...(await this.#look(browser, '/second-factor', `?request=${browser.requestId}`)), code };
  }

  /** A user of its own, of whom a second factor is demanded. */
  async #askToEnrol(): Promise<Browser> {
    const browser = await this.take('open');
    const { services, account } = this.#app;
    const known = (await services.store.policies.list(account.id)).find(({ otpRequired }) => otpRequired);
    const policy = known ?? (await createPolicy(services, account, { name: 'Strict', otpRequired: true }));
    await services.store.policies.assign(account.id, { userId: browser.user.id }, policy.id);
    await this.#submit(browser, '/sign-in', { username: browser.user.email ?? '', password });
    const search = `?request=${browser.requestId}`;
    const { text } = await this.#app.send('GET', `/second-factor/enrol${search}`, { headers: browser.jar.header });
    const code = () => codeAt(keyOf(text), services.clock.now());
    return { ...(await this.#look(browser, '/second-factor/enrol', search)), code };
  }

  async #submit({ jar, requestId, csrf }: Browser, page: string, fields: Record<string, string>): Promise<void> {
    const form = { request: requestId, csrf, ...fields };
    const answer = await this.#app.send('POST', page, { headers: jar.header, form });
    assert.equal(answer.status, 303, answer.text);
    jar.keep(answer);
  }
}

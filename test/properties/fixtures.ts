/**
 * What requests of the management API are about: users, roles, apps and the rest, made over that API. What a request
 * deletes is its own; everything else is shared by some requests and then replaced, so that no list grows forever.
 */

import assert from 'node:assert/strict';
import { hour, newGrant, unique } from '../store/samples.ts';
import type { TestApp } from '../support/app.ts';
import type { Answer } from '../support/conforms.ts';
import { recordRun } from '../support/hook-runs.ts';
import { keepRefusal } from '../support/refusals.ts';
import { codeAt } from '../support/second-factor.ts';
import { ownVisit } from '../support/visits.ts';
import { operationsOf } from './operations.ts';

/** What a user holds. */
const holdings: ReadonlySet<string> = new Set(['sessions', 'consents', 'grants']);

/** How many requests share a thing. */
const mostUses = 25;

/** Each of them waits for seconds. */
const mostTries = 20;
const root = '/api/2';

/** A path with its parameters filled in. */
export interface Filled {
  readonly parameters: Readonly<Record<string, string>>;
  /** Gives back what was made to be deleted and is still there. */
  readonly giveBack: () => void;
}

interface Shared {
  readonly id: Promise<string>;
  /** The same once it is there. */
  made?: string;
  uses: number;
}

type Body = (fixtures: Fixtures) => object | Promise<object>;

const server = 'https://api.example.com/';
/** The setting that requests read and change. */
export const idleDays = 'open_registration.idle_days';
const trivialFunction = Buffer.from('exports.handler = async () => null;').toString('base64');

/** By template of the collection: what makes one, where the contract's example would not do twice. */
const bodies: Readonly<Record<string, Body>> = {
  '/users': () => ({ email: `${unique('user')}@example.com`, firstname: 'Ada', lastname: 'Lovelace' }),
  '/users/custom_attributes': () => ({ user_field: { name: 'Badge', shortname: unique('badge') } }),
  '/policies': () => ({ name: unique('policy') }),
  '/roles': () => ({ name: unique('role') }),
  // Run by requests for a test alone: no sign-in of another request waits for it.
  '/hooks': () => ({ type: 'pre-authentication', function: trivialFunction, disabled: true }),
  '/hooks/envs': () => ({ name: variableName(), value: 'value' }),
  '/api_authorizations': () => ({ name: 'API', configuration: { resource_identifier: `${server}${unique('api')}` } }),
  '/api_authorizations/{id}/scopes': () => ({ value: unique('scope') }),
  '/api_authorizations/{id}/claims': () => ({ name: unique('claim'), user_attribute_mappings: 'email' }),
  '/api_authorizations/{id}/clients': async (fixtures) => ({
    app_id: Number(await fixtures.fresh('/apps')),
    scopes: [],
  }),
};

type Maker = (fixtures: Fixtures, path: string) => Promise<string>;

/** What is not made by a request to its own collection, or has a secret that later requests need. */
const makers: Readonly<Record<string, Maker>> = {
  '/administrators': async (fixtures) => {
    const id = await fixtures.fresh('/users');
    await fixtures.call('PUT', `/administrators/${id}`, { scopes: ['read_all'] });
    return id;
  },
  // Settings are there; this one changes nothing for other requests.
  '/account-settings': async () => idleDays,
  // Written twice, so that it can be rolled back, and with a draft.
  '/hooks': async (fixtures, path) => {
    const { id, ...hook } = await fixtures.create(path, '/hooks');
    for (const [at, body] of [
      ['', hook],
      ['/draft', { function: trivialFunction }],
    ] as const) {
      const { status, text } = await fixtures.call('PUT', `${path}/${id}${at}`, body);
      assert.equal(status, 200, text);
    }
    return String(id);
  },
  '/hooks/{id}/versions': async (fixtures, path) => String((await fixtures.call('GET', path)).body[0].version),
  '/refusals': (fixtures) => fixtures.refuse(),
  '/hooks/{id}/logs': (fixtures, path) => fixtures.recordRun(path.split('/')[2] ?? ''),
  // A user has up to ten devices.
  '/mfa/users': (fixtures) => fixtures.fresh('/users'),
  '/mfa/users/{id}/registrations': async (fixtures, path) => (await fixtures.register(path, false)).id,
  '/mfa/users/{id}/devices': async (fixtures, path) =>
    (await fixtures.register(path.replace(/devices$/, 'registrations'), true)).device_id,
  '/users/{id}/sessions': (fixtures, path) => fixtures.open(path, 'session'),
  '/users/{id}/consents': (fixtures, path) => fixtures.open(path, 'consent'),
  '/users/{id}/grants': (fixtures, path) => fixtures.open(path, 'grant'),
  '/mfa/users/{id}/verifications': async (fixtures, path) => {
    const device = await fixtures.register(path.replace(/verifications$/, 'registrations'), true);
    const { body } = await fixtures.call('POST', path, { device_id: device.device_id });
    fixtures.secrets.set(body.id, device.factor_data.verification_token);
    return body.id;
  },
};

interface Registered {
  readonly id: string;
  readonly device_id: string;
  readonly factor_data: { readonly verification_token: string };
}

/** What a request uses up though it does not delete it: the draft of a hook; old versions go with new ones. */
function isSpent(template: string, collection: string): boolean {
  return (collection === '/hooks' && template.includes('/draft')) || collection === '/hooks/{id}/versions';
}

/** A name that no variable of a hook has. */
export function variableName(): string {
  return unique('VARIABLE').replaceAll('-', '_');
}

export class Fixtures {
  /** By registrations and verifications: what their one-time passwords are made of. */
  readonly secrets = new Map<string, string>();
  readonly #app: TestApp;
  readonly #bearer: () => Promise<string>;
  readonly #shared = new Map<string, Shared>();
  readonly #idle = new Map<string, string[]>();
  readonly #cursors = new Map<string, Promise<string | undefined>>();
  #clearing: Promise<void> | undefined;

  constructor(app: TestApp, bearer: () => Promise<string>) {
    this.#app = app;
    this.#bearer = bearer;
  }

  /** Sends a request that is allowed everything. */
  async call(method: string, path: string, json?: object): Promise<Answer> {
    const headers = { authorization: `Bearer ${await this.#bearer()}` };
    return this.#app.send(method, `${root}${path}`, { headers, ...(json && { json }) });
  }

  /** Fills the parameters of a template; what the request deletes is nobody else's. */
  async fill(template: string, deletes: boolean): Promise<Filled> {
    const parameters: Record<string, string> = {};
    const segments = template.slice(root.length + 1).split('/');
    let [collection, path] = ['', ''];
    let giveBack = () => {};
    for (const [index, segment] of segments.entries()) {
      const [, name] = /^\{(\w+)\}$/.exec(segment) ?? [];
      let value = segment;
      if (name !== undefined) {
        const own = deletes && index === segments.length - 1;
        // A user under /mfa is its request's own: what is registered for one stays. So is one whose sessions, consents
        // or grants it is about: another request may end all of them.
        const alone =
          own || path === '/mfa/users' || isSpent(template, collection) || holdings.has(segments[index + 1] ?? '');
        value = alone ? await this.fresh(path, collection) : await this.shared(path, collection);
        parameters[name] = value;
        const of = path;
        if (own) giveBack = () => this.#idle.set(of, [...(this.#idle.get(of) ?? []), value]);
      }
      collection += `/${segment}`;
      path += `/${value}`;
    }
    return { parameters, giveBack };
  }

  /** The id of something that several requests are about. */
  shared(path: string, collection = path): Promise<string> {
    const known = this.#shared.get(path);
    if (known && known.uses < mostUses) {
      known.uses += 1;
      return known.id;
    }
    const id = this.#make(path, collection);
    const shared: Shared = { id, uses: 1 };
    this.#shared.set(path, shared);
    return id.then((made) => {
      shared.made = made;
      return made;
    });
  }

  /** The id of something that no other request is about. */
  async fresh(path: string, collection = path): Promise<string> {
    return this.#idle.get(path)?.pop() ?? (await this.#make(path, collection));
  }

  /** A run in the log of this hook that can be replayed. */
  recordRun(uuid: string): Promise<string> {
    return recordRun(this.#app, uuid);
  }

  /** The reference of a refusal that is kept. */
  refuse(): Promise<string> {
    return keepRefusal(this.#app);
  }

  /** Registers a device; `verified`: it needs no one-time password first. */
  async register(path: string, verified: boolean): Promise<Registered> {
    const { body, text } = await this.call('POST', path, {
      factor_id: 1,
      display_name: 'Phone',
      expires_in: 900,
      verified,
    });
    assert.ok(body?.factor_data, text);
    this.secrets.set(body.id, body.factor_data.verification_token);
    return body;
  }

  /** Opens a session, or allows an app something, for the user of the path; answers the id. */
  async open(path: string, what: 'session' | 'consent' | 'grant'): Promise<string> {
    const { services, account } = this.#app;
    const { user } = await ownVisit(this.#app, { id: Number(path.split('/')[2]) });
    const appId = Number(await this.shared('/apps'));
    const cast = { accountId: account.id, userId: user.id, appId };
    const now = services.clock.now();
    if (what === 'session') return String((await ownVisit(this.#app, user)).session.id);
    if (what === 'grant') {
      const times = { authenticatedAt: now, createdAt: now, idleExpiresAt: now + hour, absoluteExpiresAt: now + hour };
      return String((await newGrant(services.store, cast, times)).id);
    }
    await services.store.authorizations.saveConsent(account.id, user.id, appId, ['openid'], now);
    return String(appId);
  }

  /** The one-time password of now. */
  code(id: string): string {
    return codeAt(this.secrets.get(id) ?? '', this.#app.services.clock.now());
  }

  async #make(path: string, collection: string): Promise<string> {
    const maker = makers[collection];
    if (maker) return maker(this, path);
    const made = await this.create(path, collection);
    return String(made.id ?? made.app_id);
  }

  /** Makes one by a request to its collection, and answers what that says. */
  async create(path: string, collection: string): Promise<Answer['body']> {
    const body = (await bodies[collection]?.(this)) ?? exampleOf(collection);
    let answer = await this.call('POST', path, body);
    if (/has \d+ hooks already/.test(answer.text)) {
      this.#clearing ??= this.#makeRoom(path).finally(() => {
        this.#clearing = undefined;
      });
      await this.#clearing;
      answer = await this.call('POST', path, body);
    }
    // The database had no time on a busy machine, or another lane held the row: nothing was done.
    for (let tries = 1; answer.status === 503 && tries < mostTries; tries += 1) {
      answer = await this.call('POST', path, body);
    }
    const { status, text, body: made } = answer;
    assert.ok(status === 200 || status === 201, `POST ${path}: ${text}`);
    return made;
  }

  /**
   * Removes the oldest of a full collection, but those that requests are still to be about. What is being made
   * meanwhile is not waited for: it may itself wait for room, and will be none of the oldest.
   */
  async #makeRoom(path: string): Promise<void> {
    const current = [...this.#shared.values()].flatMap(({ made }) => made ?? []);
    const wanted = new Set([...current, ...[...this.#idle.values()].flat()]);
    const { body } = await this.call('GET', `${path}?limit=100&sort=created_at`);
    const surplus = body.slice(0, 60).filter(({ id }: { id: string }) => !wanted.has(id));
    for (const { id } of surplus) await this.call('DELETE', `${path}/${id}`);
  }

  /** The cursor of a second page; undefined where there is none. */
  cursor(path: string): Promise<string | undefined> {
    const known = this.#cursors.get(path);
    if (known) return known;
    const found = this.call('GET', `${path}?limit=1`).then(({ headers }) => {
      if (!headers['after-cursor']) this.#cursors.delete(path);
      return headers['after-cursor'] as string | undefined;
    });
    this.#cursors.set(path, found);
    return found;
  }
}

function exampleOf(collection: string): object {
  const creation = operationsOf(['api-2']).find(
    ({ method, template }) => method === 'POST' && template === `${root}${collection}`,
  );
  const example = creation?.media[0]?.examples[0];
  assert.ok(example, `nothing says how to make something in ${collection}`);
  return example;
}

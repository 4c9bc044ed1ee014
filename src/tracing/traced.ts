/**
 * The parts of the program with spans around what they do. Names and attributes follow the semantic conventions where
 * these have one; no span holds a secret, a text that somebody sent, or an address of a user.
 */

import type { Egress, EgressHost, EgressRequest, EgressResult } from '../domain/egress.ts';
import type { HookRunner } from '../domain/hooks/runner.ts';
import type { Mailer } from '../domain/mail.ts';
import type { Worker } from '../domain/worker.ts';
import type { Signer } from '../services.ts';
import type { Store } from '../store/store.ts';
import { methodOf } from './methods.ts';
import type { OpenSpan, Place, Tracing } from './tracing.ts';

type RunBatch<Item, Result> = (items: readonly Item[]) => Promise<Result[]>;

interface TracedStore {
  /** Below what gathers single writes (src/domain/gathered-writes.ts): a span for each batch. */
  batches(store: Store): Store;
  /** Above it: a span for each write of a request, which includes its wait, and one for each transaction. */
  requests(store: Store): Store;
}

/** A batch is in the trace of its first request, and linked to the others. */
export function traceStore(tracing: Tracing): TracedStore {
  const places = new WeakMap<object, Place>();

  function attributesOf(store: Store, operation: string, table?: string) {
    return {
      'db.system.name': store.kind === 'sqlite' ? 'sqlite' : 'postgresql',
      'db.operation.name': operation,
      ...(table !== undefined && { 'db.collection.name': table }),
    };
  }

  function batched<Item extends object, Result>(
    store: Store,
    [operation, table]: readonly [string, string],
    run: RunBatch<Item, Result>,
  ): RunBatch<Item, Result> {
    return (items) => {
      const [parent, ...links] = items.flatMap((item) => places.get(item) ?? []);
      const attributes = attributesOf(store, operation, table);
      // The conventions have no batch of one.
      if (items.length > 1) Object.assign(attributes, { 'db.operation.batch.size': items.length });
      return tracing.span({ name: `${operation} ${table}`, kind: 'client', attributes, parent, links }, () =>
        run(items),
      );
    };
  }

  function single<Item extends object, Result>(
    name: string,
    run: (item: Item) => Promise<Result>,
  ): (item: Item) => Promise<Result> {
    return (item) =>
      tracing.span({ name, kind: 'internal' }, ({ place }) => {
        places.set(item, place);
        return run(item);
      });
  }

  return {
    batches: (store) => ({
      ...store,
      authorizations: {
        ...store.authorizations,
        pushAll: batched(store, ['insert', 'pushed_requests'], store.authorizations.pushAll),
      },
      clients: {
        ...store.clients,
        registerAll: batched(store, ['insert', 'clients'], store.clients.registerAll),
      },
      grants: {
        ...store.grants,
        addAccessTokens: batched(store, ['insert', 'access_tokens'], store.grants.addAccessTokens),
        consumeAll: batched(store, ['consume', 'grants'], store.grants.consumeAll),
      },
    }),
    requests: (store) => ({
      ...store,
      authorizations: {
        ...store.authorizations,
        push: single('store pushed request', store.authorizations.push),
      },
      clients: { ...store.clients, register: single('register client', store.clients.register) },
      grants: {
        ...store.grants,
        addAccessToken: single('store access token', store.grants.addAccessToken),
        consume: single('use refresh token', store.grants.consume),
      },
      transaction: (work) => {
        const attributes = attributesOf(store, 'transaction');
        return tracing.span({ name: 'transaction', kind: 'client', attributes }, () => store.transaction(work));
      },
    }),
  };
}

export function traceSigner(signer: Signer, tracing: Tracing): Signer {
  return {
    ...signer,
    sign: (account, alg, typ, claims) => {
      const attributes = { 'gatehouse.signature.algorithm': alg, 'gatehouse.signature.type': typ };
      return tracing.span({ name: 'sign', kind: 'internal', attributes }, () => signer.sign(account, alg, typ, claims));
    },
  };
}

export function traceHooks<Runner extends HookRunner>(hooks: Runner, tracing: Tracing): Runner {
  return {
    ...hooks,
    run: (call) => {
      const attributes = { 'gatehouse.hook.type': call.isForStranger ? 'user-migration' : 'pre-authentication' };
      return tracing.span({ name: 'run hook', kind: 'internal', attributes }, async (span) => {
        const result = await hooks.run(call);
        if (result.ending !== 'success') span.fail(result.ending);
        return result;
      });
    },
  };
}

/**
 * Requests to hosts that clients registered. Those that the operator listed (`EGRESS`) get the trace, because they are
 * the operator's own; any other would learn which of its requests belong together.
 */
export function traceEgress(egress: Egress, tracing: Tracing, listed: readonly EgressHost[]): Egress {
  return {
    fetch: (request, signal) => {
      const url = URL.parse(request.url);
      const attributes = {
        'http.request.method': request.method,
        'gatehouse.egress.purpose': request.purpose ?? 'notice',
        ...(url && { 'server.address': url.hostname, 'server.port': portOf(url) }),
      };
      return tracing.span({ name: request.method, kind: 'client', attributes }, (span) => {
        const isListed = url !== null && listed.some((host) => isAt(host, url));
        const headers = isListed ? [...request.headers, ...tracing.headers()] : request.headers;
        return noting(span, egress.fetch({ ...request, headers }, signal));
      });
    },
  };
}

/**
 * Requests of hooks' functions. Whom they ask is the function's own matter: neither the host nor what it was asked is in
 * the span, and the request does not get the trace.
 */
export function traceHookEgress(egress: Egress, tracing: Tracing): Egress {
  return {
    fetch: (request: EgressRequest, signal) => {
      const attributes = { 'http.request.method': methodOf(request.method), 'gatehouse.egress.purpose': 'hook' };
      const start = { name: attributes['http.request.method'], kind: 'client', attributes } as const;
      return tracing.span(start, (span) => noting(span, egress.fetch(request, signal)));
    },
  };
}

async function noting(span: OpenSpan, asked: Promise<EgressResult>): Promise<EgressResult> {
  const result = await asked;
  if (!result.ok) span.fail(result.failure);
  else {
    span.set({ 'http.response.status_code': result.response.status });
    if (result.response.status >= 400) span.fail(String(result.response.status));
  }
  return result;
}

/** The host of the mail server is a setting, and whom it is for is nobody's concern. */
export function traceMailer(mailer: Mailer, tracing: Tracing): Mailer {
  return { send: (mail) => tracing.span({ name: 'send mail', kind: 'client' }, () => mailer.send(mail)) };
}

/** What a worker does belongs to no request, although one wakes it. */
export function detachWorker(worker: Worker, tracing: Tracing): Worker {
  return { wake: () => tracing.detached(() => worker.wake()), run: () => tracing.detached(() => worker.run()) };
}

function portOf(url: URL): number {
  return Number(url.port) || (url.protocol === 'http:' ? 80 : 443);
}

function isAt(host: EgressHost, url: URL): boolean {
  const isSame = `${host.scheme}:` === url.protocol && host.hostname === url.hostname.replace(/\.$/, '');
  return isSame && host.port === portOf(url);
}

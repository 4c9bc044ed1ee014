/** Outgoing requests to addresses chosen by others, and the single guard that all of them pass. */

import type { Egress, EgressRequest, EgressResponse, EgressRules } from '../../domain/egress.ts';
import { decode } from './coding.ts';
import { type Network, openConnection, systemNetwork } from './connect.ts';
import { readDestination } from './destination.ts';
import { headersAcrossOrigins, headersWithoutBody, readHeaders } from './headers.ts';
import { Refusal } from './refusal.ts';
import { type Incoming, makeRequest, type Outgoing } from './request.ts';
import { createRoom, type Places } from './room.ts';

/** The limits for one purpose. Sizes in bytes. */
export interface EgressPolicy extends EgressRules {
  /** Whether the service itself is at a host: it is not contacted this way, unless it is listed. */
  readonly isOwnHost: (host: string) => boolean | Promise<boolean>;
  readonly methods: readonly string[];
  readonly mostRequestBytes: number;
  /** Counted on the wire, and again after decoding. */
  readonly mostResponseBytes: number;
  /** A gzip body is passed on unchanged: the requester decodes it, in another process. */
  readonly leavesCoded?: true;
  readonly mostRedirects: number;
  /** For everything: names, connections, redirects, the body. */
  readonly timeoutMilliseconds: number;
  /** Concurrent requests. */
  readonly mostAtOnce: Places;
}

const redirectStatuses = [301, 302, 303, 307, 308];

/** Checks everything that does not depend on the destination. */
function readRequest(request: EgressRequest, policy: EgressPolicy): Outgoing {
  const method = request.method.toUpperCase();
  if (!policy.methods.includes(method)) throw new Refusal('method_forbidden');
  if (request.body && (method === 'GET' || method === 'HEAD')) throw new Refusal('body_forbidden');
  if (request.body && request.body.length > policy.mostRequestBytes) throw new Refusal('body_too_large');
  const url = URL.parse(request.url);
  if (!url) throw new Refusal('url_invalid');
  return { url, method, headers: readHeaders(request.headers), body: request.body };
}

/** The request that a redirect leads to (Fetch Standard §4.4, RFC 9110 §15.4). Null: the response is not a redirect. */
function redirected(outgoing: Outgoing, { status, headers }: Incoming): Outgoing | null {
  const location = headers.find(([name]) => name === 'location')?.[1];
  if (!redirectStatuses.includes(status) || location === undefined) return null;
  const url = URL.parse(location, outgoing.url.href);
  if (!url) throw new Refusal('redirect_forbidden');
  const isPost = outgoing.method === 'POST' && status <= 302;
  const dropsBody = isPost || (status === 303 && outgoing.method !== 'HEAD');
  const next: Outgoing = dropsBody
    ? { url, method: 'GET', headers: headersWithoutBody(outgoing.headers), body: null }
    : { ...outgoing, url };
  if (url.origin === outgoing.url.origin) return next;
  // A body may contain credentials just as a header may: neither goes to another origin.
  if (next.body) throw new Refusal('redirect_forbidden');
  return { ...next, headers: headersAcrossOrigins(next.headers) };
}

/** The response for the requester. */
async function opened(
  { coding, ...incoming }: Incoming,
  { leavesCoded, mostResponseBytes }: EgressPolicy,
): Promise<Omit<EgressResponse, 'url' | 'redirected'>> {
  if (leavesCoded && coding !== null) return { ...incoming, coding };
  return { ...incoming, body: await decode(incoming.body, coding, mostResponseBytes) };
}

async function follow(
  request: EgressRequest,
  policy: EgressPolicy,
  network: Network,
  signal: AbortSignal,
): Promise<EgressResponse> {
  let outgoing = readRequest(request, policy);
  for (let redirects = 0; ; redirects += 1) {
    const destination = await readDestination(outgoing.url.href, policy);
    const socket = await openConnection(destination, network, signal);
    const incoming = await makeRequest(outgoing, socket, policy.mostResponseBytes, signal);
    const next = request.redirect === 'manual' ? null : redirected(outgoing, incoming);
    if (!next) return { ...(await opened(incoming, policy)), url: outgoing.url.href, redirected: redirects > 0 };
    if (request.redirect === 'error') throw new Refusal('redirect_forbidden');
    if (redirects === policy.mostRedirects) throw new Refusal('too_many_redirects');
    outgoing = next;
  }
}

/** `network` is the real one except in tests. */
export function createEgress(policy: EgressPolicy, network: Network = systemNetwork): Egress {
  const room = createRoom(policy.mostAtOnce);
  return {
    async fetch(request, given) {
      const leave = room.enter(request);
      if (!leave) return { ok: false, failure: 'busy' };
      const ended = new AbortController();
      const timer = setTimeout(() => ended.abort(), policy.timeoutMilliseconds);
      const signal = given ? AbortSignal.any([ended.signal, given]) : ended.signal;
      try {
        signal.throwIfAborted();
        return { ok: true, response: await follow(request, policy, network, signal) };
      } catch (error) {
        if (signal.aborted) return { ok: false, failure: 'timeout' };
        return { ok: false, failure: error instanceof Refusal ? error.failure : 'connection_failed' };
      } finally {
        clearTimeout(timer);
        // Everything still under way ends here.
        ended.abort();
        leave();
      }
    },
  };
}

/** The metadata documents of clients, fetched when somebody comes with their address and cached in memory only. */

import type { Services } from '../../services.ts';
import type { Milliseconds } from '../../store/time.ts';
import type { Account } from '../accounts/account.ts';
import { day, minute } from '../durations.ts';
import { type EgressResult, mostDocumentBytes } from '../egress.ts';
import { Failure } from '../failure.ts';
import { currentNetworkSource } from '../network-source.ts';
import { freshFor } from './document-freshness.ts';
import { metadataOf, readDocument } from './document-metadata.ts';
import { documentUrlFault } from './document-url.ts';
import type { ClientDocuments, DocumentRead } from './documents-port.ts';
import { fetchForClient } from './fetch-for-client.ts';
import type { RegistrationRequest } from './registration-request.ts';
import { createSharedRoom } from './shared-room.ts';

/** How long an address that gave no document is not asked again. */
const failureMilliseconds = minute;
/** How long the last good document counts for what has begun already, while its address gives none. */
const lastGoodMilliseconds = day;
/**
 * Maximum number of addresses, over all accounts: strangers can make the service keep some 20 MB in all, and as many
 * clients made of them.
 */
const mostKept = 1_000;

interface Good {
  readonly at: Milliseconds;
  readonly request: RegistrationRequest;
  /** What it makes of the client by rules of the account that are named here. */
  read?: { readonly by: string; readonly result: DocumentRead };
}

/** The document at an address; or why there is none now, worded for the client's developer, and the last one. */
type Found = { readonly fault: null; readonly good: Good } | { readonly fault: string; readonly good: Good | null };

type Kept = Found & { readonly until: Milliseconds };

type DocumentServices = Pick<Services, 'egress' | 'clock' | 'limits' | 'log'>;

/** Concurrent requests for an address share one fetch. */
export function createClientDocuments({ egress, clock, limits, log }: DocumentServices): ClientDocuments {
  const kept = createSharedRoom<Kept>(mostKept);
  const underWay = new Map<string, Promise<Kept>>();

  async function fetchNow(account: Account, url: string): Promise<Kept> {
    const result = await fetchForClient(egress, {
      purpose: 'client metadata',
      accountId: account.id,
      registeredBy: 'open',
      url,
      accept: 'application/json',
    });
    if (!result.ok && result.failure === 'busy') {
      throw new Failure('unavailable', { reason: 'too many client documents are fetched', retryAfterSeconds: 1 });
    }
    const now = clock.now();
    const read = readResponse(account, url, result, now);
    const reason = 'fault' in read ? (read.reason ?? read.fault) : null;
    if (reason !== null)
      log.warn('client_document.refused', { account: account.subdomain, host: new URL(url).host, reason });
    const found: Kept =
      'fault' in read
        ? { until: now + failureMilliseconds, fault: read.fault, good: kept.get(shareOf(account), url)?.good ?? null }
        : { until: read.until, fault: null, good: { at: now, request: read.request } };
    kept.set(shareOf(account), url, found);
    return found;
  }

  async function begin(account: Account, url: string): Promise<Kept> {
    await limits.take(account, 'client-metadata', { source: currentNetworkSource() });
    return fetchNow(account, url);
  }

  /** Counts as a fetch of whoever comes first; those who have reached their own limit stop nobody else. */
  async function fetchOnce(account: Account, url: string): Promise<Kept> {
    const key = `${shareOf(account)} ${url}`;
    const shared = underWay.get(key);
    if (shared) return (await shared.catch(nullIfLimited)) ?? fetchOnce(account, url);
    const fetched = begin(account, url).finally(() => underWay.delete(key));
    underWay.set(key, fetched);
    return fetched;
  }

  async function find(account: Account, url: string): Promise<Kept> {
    const known = kept.get(shareOf(account), url);
    if (known && known.until > clock.now()) return known;
    const fault = documentUrlFault(url);
    if (fault !== null) return { until: 0, fault: `cannot be used: its address ${fault}`, good: null };
    return fetchOnce(account, url);
  }

  const counts = (good: Good | null): good is Good => good !== null && clock.now() < good.at + lastGoodMilliseconds;

  /** Where the address was not asked, for want of a place or by the limit of the source, the last document counts on. */
  async function findLast(account: Account, url: string): Promise<Found> {
    try {
      return await find(account, url);
    } catch (error) {
      const good = kept.get(shareOf(account), url)?.good ?? null;
      if (isBusy(error) && counts(good)) return { fault: null, good };
      throw error;
    }
  }

  return {
    async read(account, url) {
      const { fault, good } = await findLast(account, url);
      return fault === null ? readAs(account, url, good) : { fault };
    },
    async readLast(account, url) {
      const { fault, good } = await findLast(account, url).catch(asUnknown);
      if (fault === null) return readAs(account, url, good);
      return counts(good) ? readAs(account, url, good) : { fault };
    },
  };
}

function isBusy(error: unknown): boolean {
  return error instanceof Failure && (error.code === 'rate_limited' || error.code === 'unavailable');
}

function asUnknown(error: unknown): Found {
  if (!isBusy(error)) throw error;
  return { fault: 'cannot be fetched now', good: null };
}

function nullIfLimited(error: unknown): null {
  if (error instanceof Failure && error.code === 'rate_limited') return null;
  throw error;
}

/** By the rules that the account has now. */
function readAs({ settings }: Account, url: string, good: Good): DocumentRead {
  const by = `${settings.securityProfile} ${settings.implicitGrant} ${settings.mutualTls}`;
  if (good.read?.by !== by) good.read = { by, result: metadataOf(url, good.request, settings) };
  return good.read.result;
}

/** No account takes space from another, nor does one learn from timing what others fetched. */
function shareOf({ id }: Account): string {
  return String(id);
}

/** What an address answered, until it is asked again; `reason`: what the log says, where the developer is told less. */
type Response =
  | { readonly until: Milliseconds; readonly request: RegistrationRequest }
  | { readonly fault: string; readonly reason?: string };

function readResponse(account: Account, url: string, result: EgressResult, now: Milliseconds): Response {
  if (!result.ok) {
    if (result.failure === 'redirect_forbidden') return { fault: 'is answered with a redirect, which is not followed' };
    if (result.failure === 'response_too_large') return { fault: `is larger than ${mostDocumentBytes} bytes` };
    return { fault: 'cannot be fetched', reason: `cannot be fetched: ${result.failure}` };
  }
  const { status, headers, body } = result.response;
  if (status !== 200) return { fault: `is answered with status ${status}, not 200` };
  const type = headers.find(([name]) => name === 'content-type')?.[1] ?? '';
  if (!/^application\/(?:[\w.-]+\+)?json\s*(?:;|$)/i.test(type)) return { fault: 'is not served as application/json' };
  const read = readDocument(url, body);
  if ('fault' in read) return read;
  const found = metadataOf(url, read.request, account.settings);
  return 'fault' in found ? found : { ...read, until: now + freshFor(headers, now) };
}

/** Notifies clients that one of their sessions ended (OpenID Connect Back-Channel Logout 1.0). */

import { randomUUID } from 'node:crypto';
import type { Services } from '../../services.ts';
import type { ClientRecord } from '../../store/clients.ts';
import type { EndedSessions, NoticeRecord } from '../../store/notices.ts';
import type { StoreVerbs } from '../../store/store.ts';
import type { Milliseconds } from '../../store/time.ts';
import type { Account } from '../accounts/account.ts';
import { accountOf } from '../accounts/accounts.ts';
import { recordEvent } from '../audit/record.ts';
import { signingAlgorithmFor } from '../clients/security-profile.ts';
import { hour, minute, second } from '../durations.ts';
import { sessionNameOf, subjectOf } from '../tokens/subject.ts';
import { createWorker, type Worker } from '../worker.ts';

/** Pauses after each failed attempt; after the last one the notice is abandoned. */
const pauses = [10 * second, minute, 10 * minute, hour, 6 * hour];
/** No other process tries for this long; longer than a request can take. */
const claimMilliseconds = minute;
const atOnce = 16;
/** Places of an account. A host gets one of them; open-registered clients are counted separately. */
const ofAccount = 4;
/** How many of these open-registered clients may hold: strangers cannot take the others. */
const ofOpenClients = 2;
/** A token that a client keeps is soon useless (§2.4 recommends at most two minutes). */
const tokenSeconds = 120;
const event = 'http://schemas.openid.net/event/backchannel-logout';

type NoticeServices = Pick<Services, 'store' | 'clock' | 'vault' | 'signer' | 'egress' | 'addresses' | 'log'>;

/** Stores the notices for the clients of sessions, in the transaction that ends them; returns how many. */
export function tellClients(
  services: Pick<Services, 'vault'>,
  tx: Pick<StoreVerbs, 'notices'>,
  account: Pick<Account, 'id' | 'record'>,
  ended: EndedSessions,
  now: Milliseconds,
): Promise<number> {
  const subjectFor = (client: Pick<ClientRecord, 'sector'>) =>
    subjectOf(services, account, client, { id: ended.userId });
  return tx.notices.addForSessions(account.id, ended, subjectFor, now);
}

/**
 * Sends the stored notices, `atOnce` at a time. The clients of an account take turns, so that one that does not answer
 * does not delay the others. A notice that was sent may be sent again when this process is killed.
 */
export function createLogoutNotices(services: NoticeServices): Worker {
  return createWorker<NoticeRecord>(services, {
    name: 'logout notices',
    atOnce,
    ofAccount,
    turnOf: ({ accountId, appId }) => `${accountId} ${appId}`,
    claim: (now, { accounts, underWay, served }) => {
      const except = { accounts, clients: served, hosts: underWay, openOf: withoutOpenPlaces(underWay) };
      return services.store.notices.claim(now, now + claimMilliseconds, 1, except);
    },
    deliver: (notice) => deliver(services, notice),
  });
}

/** The accounts whose open-registered clients hold all places that they may hold. */
function withoutOpenPlaces(underWay: readonly NoticeRecord[]): readonly number[] {
  const ids = underWay.filter(({ registeredBy }) => registeredBy === 'open').map(({ accountId }) => accountId);
  return [...new Set(ids)].filter((id) => ids.filter((one) => one === id).length >= ofOpenClients);
}

async function deliver(services: NoticeServices, notice: NoticeRecord): Promise<void> {
  const { store, clock } = services;
  const { accountId, appId, id, attempts } = notice;
  const [record, client] = [await store.accounts.find(accountId), await store.clients.findByApp(accountId, appId)];
  const uri = client?.extra.backchannel_logout_uri;
  if (!record || !client || uri === undefined) {
    await store.notices.remove(accountId, id);
    return;
  }
  const account = accountOf(record, services.addresses);
  if (await send(services, account, client, uri, notice)) {
    await store.notices.remove(accountId, id);
    return;
  }
  const pause = pauses[attempts - 1];
  if (pause !== undefined) return store.notices.postpone(accountId, id, clock.now() + pause);
  await store.transaction(async (tx) => {
    if (!(await tx.notices.remove(accountId, id))) return;
    const target = { type: 'app', id: appId } as const;
    await recordEvent(tx, services, account, { action: 'logout_notice.abandoned', target, detail: { attempts } });
  });
}

/** §2.5, §2.7: a form with the token; 200 and 204 mean that the client has received it. */
async function send(
  services: NoticeServices,
  account: Account,
  client: ClientRecord,
  url: string,
  notice: NoticeRecord,
): Promise<boolean> {
  const issuedAt = Math.floor(services.clock.now() / second);
  const alg = signingAlgorithmFor(account, client, client.idTokenAlg);
  const token = await services.signer.sign(account, alg, 'logout+jwt', {
    iss: account.baseUrl,
    aud: client.clientId,
    iat: issuedAt,
    exp: issuedAt + tokenSeconds,
    jti: randomUUID(),
    events: { [event]: {} },
    sub: notice.subject,
    sid: sessionNameOf(services, account, client, notice),
  });
  const result = await services.egress.fetch({
    purpose: 'notice',
    accountId: account.id,
    forOpenClient: client.registeredBy === 'open',
    url,
    method: 'POST',
    headers: [['content-type', 'application/x-www-form-urlencoded']],
    body: Buffer.from(new URLSearchParams({ logout_token: token }).toString()),
    redirect: 'error',
  });
  return result.ok && (result.response.status === 200 || result.response.status === 204);
}

/** Tells clients that a session of theirs ended (OpenID Connect Back-Channel Logout 1.0). */

import { randomUUID } from 'node:crypto';
import type { Services } from '../../services.ts';
import type { ClientRecord } from '../../store/clients.ts';
import type { EndedSessions, NoticeRecord } from '../../store/notices.ts';
import type { StoreVerbs } from '../../store/store.ts';
import type { Milliseconds } from '../../store/time.ts';
import type { Account } from '../accounts/account.ts';
import { accountOf } from '../accounts/accounts.ts';
import { recordEvent } from '../audit/record.ts';
import { hour, minute, second } from '../durations.ts';
import { sessionNameOf, subjectOf } from '../tokens/subject.ts';
import { createWorker, type Worker } from '../worker.ts';

/** After each attempt that failed, until the next; after the last one the client is told no more. */
const pauses = [10 * second, minute, 10 * minute, hour, 6 * hour];
/** For so long nobody else tries; longer than a request can take. */
const claimMilliseconds = minute;
const atOnce = 16;
/** Places of an account. A host has one of them, apart for clients that registered in the open. */
const ofAccount = 4;
/** Of these, for clients that registered in the open: others always have a place that no stranger can hold. */
const ofOpenClients = 2;
/** A token that a client keeps is of no use to anybody soon (§2.4: at most two minutes are advised). */
const tokenSeconds = 120;
const event = 'http://schemas.openid.net/event/backchannel-logout';

type NoticeServices = Pick<Services, 'store' | 'clock' | 'vault' | 'signer' | 'egress' | 'addresses' | 'log'>;

/** Keeps what the clients of sessions are to be told, in the transaction that ends them; answers how many notices. */
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
 * Sends what the store holds, `atOnce` at a time; the clients of an account take turns, so that one which does not answer
 * holds up no other. A notice that was sent may be sent again when this process is killed.
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

/** The accounts whose clients that registered in the open have all their places. */
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

/** §2.5, §2.7: a form with the token; 200 and 204 say that the client has heard. */
async function send(
  services: NoticeServices,
  account: Account,
  client: ClientRecord,
  url: string,
  notice: NoticeRecord,
): Promise<boolean> {
  const issuedAt = Math.floor(services.clock.now() / second);
  const token = await services.signer.sign(account, client.idTokenAlg, 'logout+jwt', {
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

/** Apps that are linked to an API, with more grants or in greater number than a removal clears at once. */

import { fillGrants, many } from './filled.ts';
import { type Cast, newCast, newClient, newServer, now } from './samples.ts';
import type { Subject } from './suite.ts';

export interface LinkedApp {
  readonly cast: Cast;
  readonly serverId: number;
  link(serverId?: number): Promise<void>;
  unlink(serverId?: number): Promise<number | null>;
}

/** An app that is linked to an API, with more grants for it than a removal revokes at once. */
export async function linkedApp(subject: Pick<Subject, 'store' | 'url'>, accountCast?: Cast): Promise<LinkedApp> {
  const { store } = subject;
  const cast = accountCast ?? (await newCast(store));
  const { accountId, appId } = cast;
  const { authorizationServers: servers } = store;
  const { id } = await newServer(store, accountId);
  const link = (serverId = id) => servers.link({ accountId, serverId, appId, scopeIds: [], linkedAt: now });
  await link();
  await fillGrants(subject, cast, many, id);
  return { cast, serverId: id, link, unlink: (serverId = id) => servers.unlink(accountId, serverId, appId, now + 1) };
}

/** Links more apps to an API than its removal unlinks at once; returns the last one. */
export async function linkMany(
  { store }: Pick<Subject, 'store'>,
  { accountId }: Cast,
  serverId: number,
): Promise<{ appId: number }> {
  const made: number[] = [];
  await store.transaction(async (tx) => {
    while (made.length < many) {
      const { appId: added } = await newClient(tx, accountId);
      await tx.authorizationServers.link({ accountId, serverId, appId: added, scopeIds: [], linkedAt: now });
      made.push(added);
    }
  });
  return { appId: made.at(-1) ?? 0 };
}

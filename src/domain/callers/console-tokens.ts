import type { Services } from '../../services.ts';
import type { StoreVerbs } from '../../store/store.ts';
import type { Account } from '../accounts/account.ts';
import { consoleClient } from '../clients/console-client.ts';
import { readProof, useConsoleProof } from '../dpop/check-proof.ts';
import { Failure } from '../failure.ts';
import { isMultiFactor } from '../login/methods.ts';
import { isLive, noteSeen } from '../login/sessions.ts';
import { findStatusFailure } from '../login/standing.ts';
import { digestOf, secretPrefixes } from '../secrets.ts';
import type { Caller } from './caller.ts';

/** A call of the management API with a token of the console. */
export interface PresentedConsoleToken {
  readonly accessToken: string;
  /** The `DPoP` header. */
  readonly proof: string;
  readonly method: string;
  /** The addresses, without query, that the request may have been sent to. */
  readonly urls: readonly string[];
}

const form = new RegExp(`^${secretPrefixes.consoleToken}[\\w-]{43}$`);

/**
 * The administrator who calls with a token of the console. Everything that the token depends on is read as it is now:
 * user, session, second factor and the scopes themselves. A call counts as use of the session. Tokens are found by their
 * digest, so the time of the lookup reveals nothing. Throws `caller_unauthenticated`, `dpop_proof_invalid`,
 * `dpop_nonce_required`.
 */
export async function authenticateAdministrator(
  services: Pick<Services, 'store' | 'clock' | 'vault'>,
  account: Account,
  presented: PresentedConsoleToken,
): Promise<Caller> {
  const { client, grant, session, scopes } = await readConsoleToken(services, account, presented.accessToken);
  const proof = await readProof(services, account, client, presented);
  if (proof.thumbprint !== grant.thumbprint) {
    throw new Failure('dpop_proof_invalid', { message: 'the token is bound to another key' });
  }
  await useConsoleProof(services.store, proof);
  await noteSeen(services, account, session);
  const { userId } = grant;
  return {
    accountId: account.id,
    actor: { type: 'user', id: userId },
    limitedBy: { user: userId },
    scopes,
  };
}

/**
 * What a token of the console is worth now, without a proof: for an answer that goes on, whose request had one. It is no
 * use of the session. Throws `caller_unauthenticated`.
 */
export async function readConsoleToken(
  { store, clock }: Pick<Services, 'clock'> & { readonly store: Pick<StoreVerbs, 'administrators'> },
  account: Account,
  accessToken: string,
) {
  const client = consoleClient(account);
  if (!client || !form.test(accessToken)) throw refused('not a token of the console');
  const found = await store.administrators.findToken(account.id, digestOf(accessToken));
  if (!found) throw refused('unknown token, or its user, right or session has ended');
  const { grant, session, scopes, status } = found;
  const now = clock.now();
  if (grant.expiresAt <= now) throw refused('expired token');
  if (findStatusFailure({ status })) throw refused('the user is not active');
  if (!isLive(session, now)) throw refused('the session has expired');
  if (account.settings.administratorSecondFactor && !isMultiFactor(session.amr)) throw refused('no second factor');
  return { client, grant, session, scopes };
}

/** Ends a token of the console, whoever presents it; another text is nothing (RFC 7009 §2.2). */
export async function revokeConsoleToken(
  { store }: Pick<Services, 'store'>,
  account: Pick<Account, 'id'>,
  text: string,
): Promise<void> {
  if (form.test(text)) await store.administrators.removeToken(account.id, digestOf(text));
}

function refused(reason: string): Failure {
  return new Failure('caller_unauthenticated', { reason, challenged: true, scheme: 'DPoP' });
}

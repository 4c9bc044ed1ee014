/**
 * The only place that opens anything for a user: a session, a code, tokens, a device, the answer "authenticated". Each
 * function takes the result of `admit` in the same transaction, and uses its user, session and app, so nothing can be
 * opened for anyone else. Only this module may import `openers/`.
 */

import type { Services } from '../../services.ts';
import type { RedeemedGrant } from '../../store/administrators.ts';
import type { AuthorizationParameters } from '../../store/authorization-parameters.ts';
import type { LinkedServer } from '../../store/authorization-servers.ts';
import type { AccessTokenRecord } from '../../store/grants.ts';
import type { SessionRecord } from '../../store/sessions.ts';
import type { StoreVerbs } from '../../store/store.ts';
import type { Milliseconds } from '../../store/time.ts';
import type { Account } from '../accounts/account.ts';
import type { EventDetails } from '../audit/event-details.ts';
import { isConsole } from '../clients/console-client.ts';
import { type Proof, useConsoleProof, useProof } from '../dpop/check-proof.ts';
import type { SignInTraits } from '../hooks/risk.ts';
import { rememberSignIn } from '../hooks/sign-in-history.ts';
import type { Sender } from '../tokens/sender.ts';
import type { Admitted } from './admit.ts';
import { createCode } from './openers/code.ts';
import { createConsoleCode, redeemConsoleCode } from './openers/console.ts';
import { allowDevice } from './openers/device.ts';
import { addExchangedToken } from './openers/exchanged-token.ts';
import {
  addFirstAccessToken,
  createGrant,
  type GrantMethod,
  type GrantTerms,
  type StartedGrant,
  startGrant,
} from './openers/grant.ts';
import { raiseSession, startSession } from './openers/session.ts';
import { recordSuccess } from './openers/success.ts';

/** Of each member of a union. */
type Without<Union, Key extends PropertyKey> = Union extends unknown ? Omit<Union, Key> : never;
type Where = Without<EventDetails['sign_in.succeeded'], 'methods'>;
type GrantServices = Pick<Services, 'store' | 'clock' | 'random' | 'vault' | 'signer'>;
type Terms = Omit<GrantTerms, 'userId' | 'servers'>;
/** The session supplies the other terms. */
type TermsInSession = Omit<Terms, 'sid' | 'amr' | 'authenticatedAt'>;

/** A sign-in that has completed all steps. */
interface SigningInNow {
  /** How the user has authenticated, as in `amr`. */
  readonly methods: readonly string[];
  /** The target of the sign-in, for the trail. */
  readonly where: Where;
  /** The traits that the hooks computed the risk from, to be stored; null: none. */
  readonly traits: SignInTraits | null;
}

interface OpenedSession extends Pick<SessionRecord, 'sid' | 'authenticatedAt'> {
  readonly secret: string;
}

/** Opens a session that replaces the browser's former one, or continues the user's own. */
export async function openSession(
  services: Pick<Services, 'clock' | 'random' | 'vault'>,
  tx: StoreVerbs,
  account: Account,
  { user, policy }: Admitted,
  { methods, where, traits }: SigningInNow,
  formerSecret: string | undefined,
): Promise<OpenedSession> {
  const authenticatedAt = services.clock.now();
  const signedIn = { amr: methods, authenticatedAt };
  const { secret, sid } = await startSession(services, tx, account, user, policy, signedIn, formerSecret);
  const actor = { type: 'user', id: user.id } as const;
  await recordSuccess(services, tx, account, user, authenticatedAt, { ...where, methods }, actor);
  if (traits) await rememberSignIn(tx, account, user.id, traits);
  return { secret, sid, authenticatedAt };
}

/** Raises the session and gives it a new secret; returns the secret. */
export function openRaisedSession(
  services: Pick<Services, 'clock' | 'random' | 'vault'>,
  tx: StoreVerbs,
  account: Account,
  { session }: Admitted<SessionRecord>,
  methods: readonly string[],
): Promise<string> {
  return raiseSession(services, tx, account, session, methods);
}

/** Reports "authenticated" to a caller that asked about the user. */
export async function openAnswer(
  services: Pick<Services, 'clock' | 'vault'>,
  tx: StoreVerbs,
  account: Account,
  { user }: Admitted,
  { methods, where }: Omit<SigningInNow, 'traits'>,
): Promise<void> {
  await recordSuccess(services, tx, account, user, services.clock.now(), { ...where, methods }, undefined);
}

/** Creates an authorization code in the session for the app, or for the console; returns its text. */
export function openCode(
  services: Pick<Services, 'clock' | 'random'>,
  tx: StoreVerbs,
  account: Account,
  { session, client }: Admitted<SessionRecord>,
  parameters: AuthorizationParameters,
): Promise<string> {
  if (isConsole(client)) return createConsoleCode(services, tx, account, session, parameters);
  return createCode(services, tx, account, client.appId, session, parameters);
}

/**
 * Makes a token for the management API of a code of the console; false when it has expired or was used before. It is
 * bound to the key of the proof, which is used up.
 */
export async function openConsoleToken(
  tx: StoreVerbs,
  account: Account,
  _admitted: Admitted,
  digest: string,
  { tokenDigest, expiresAt, proof }: Pick<RedeemedGrant, 'tokenDigest' | 'expiresAt'> & { readonly proof: Proof },
  now: Milliseconds,
): Promise<boolean> {
  await useConsoleProof(tx, proof);
  return redeemConsoleCode(tx, account, digest, { tokenDigest, thumbprint: proof.thumbprint, expiresAt }, now);
}

/** Approves a device for the session's user; false when it has expired or was decided already. */
export function openDevice(
  services: Pick<Services, 'clock'>,
  tx: StoreVerbs,
  account: Account,
  { session }: Admitted<SessionRecord>,
  digest: string,
  apiScopes: readonly string[],
): Promise<boolean> {
  return allowDevice(services, tx, account, digest, session, apiScopes);
}

/** Creates a grant with its first tokens (see `startGrant`), bound as the sender's are; a proof is used up. */
export async function openGrant(
  services: GrantServices,
  tx: StoreVerbs,
  account: Account,
  { user, client, servers }: Admitted,
  terms: Terms,
  linked: LinkedServer | null,
  method: GrantMethod,
  { binding, proof }: Sender,
): Promise<StartedGrant> {
  await useProof(tx, proof);
  const full = { ...terms, userId: user.id, servers };
  return startGrant(services, tx, account, client, full, linked, method, binding);
}

/**
 * Creates a grant in the session without a refresh token, and an access token if requested: the immediate response of
 * the authorization endpoint.
 */
export async function openImplicitGrant(
  services: GrantServices,
  tx: StoreVerbs,
  account: Account,
  { user, session, client, servers }: Admitted<SessionRecord>,
  terms: TermsInSession,
  linked: LinkedServer | null,
  withAccessToken: boolean,
) {
  const { sid, amr, authenticatedAt } = session;
  const full = { ...terms, sid, amr, authenticatedAt, userId: user.id, servers };
  const grant = await createGrant(services, tx, account, client, full, linked, 'implicit');
  const first = withAccessToken ? await addFirstAccessToken(services, tx, account, client, grant, linked, null) : null;
  return { grant, first };
}

/** Creates an access token in exchange for another. `null` admits a client's own token, which has no user. */
export function openExchangedToken(
  tx: StoreVerbs,
  admitted: Admitted | null,
  row: Omit<AccessTokenRecord, 'id' | 'userId'>,
): Promise<AccessTokenRecord> {
  return addExchangedToken(tx, { ...row, userId: admitted?.user.id ?? null });
}

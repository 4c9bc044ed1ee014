/**
 * The one place that opens anything for a user: a session, a code, tokens, a device, the answer "authenticated". Each
 * verb takes the admission that `admit` gave in the same transaction, and from it the user, the session and the app: what
 * opens cannot be another's. Only this module may import what is in `openers/`.
 */

import type { Services } from '../../services.ts';
import type { AuthorizationParameters } from '../../store/authorization-parameters.ts';
import type { LinkedServer } from '../../store/authorization-servers.ts';
import type { AccessTokenRecord } from '../../store/grants.ts';
import type { SessionRecord } from '../../store/sessions.ts';
import type { StoreVerbs } from '../../store/store.ts';
import type { Account } from '../accounts/account.ts';
import type { EventDetails } from '../audit/event-details.ts';
import { type Proof, useProof } from '../dpop/check-proof.ts';
import type { SignInTraits } from '../hooks/risk.ts';
import { rememberSignIn } from '../hooks/sign-in-history.ts';
import type { Admitted } from './admit.ts';
import { createCode } from './openers/code.ts';
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
type Terms = Omit<GrantTerms, 'userId'>;
/** A session itself says the rest. */
type TermsInSession = Omit<Terms, 'sid' | 'amr' | 'authenticatedAt'>;

/** A sign-in at its end. */
interface SigningInNow {
  /** How the user has shown who they are, as `amr` says it. */
  readonly methods: readonly string[];
  /** Where it leads, for the trail. */
  readonly where: Where;
  /** What the hooks reckoned the risk with, to be remembered; null: nothing. */
  readonly traits: SignInTraits | null;
}

interface OpenedSession extends Pick<SessionRecord, 'sid' | 'authenticatedAt'> {
  readonly secret: string;
}

/** Opens a session in place of the one that the browser had, or goes on with the user's own. */
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

/** The same session, worth more, under a new secret; answers its secret. */
export function openRaisedSession(
  services: Pick<Services, 'clock' | 'random' | 'vault'>,
  tx: StoreVerbs,
  account: Account,
  { session }: Admitted<SessionRecord>,
  methods: readonly string[],
): Promise<string> {
  return raiseSession(services, tx, account, session, methods);
}

/** Says "authenticated" to a caller that asked for the user. */
export async function openAnswer(
  services: Pick<Services, 'clock' | 'vault'>,
  tx: StoreVerbs,
  account: Account,
  { user }: Admitted,
  { methods, where }: Omit<SigningInNow, 'traits'>,
): Promise<void> {
  await recordSuccess(services, tx, account, user, services.clock.now(), { ...where, methods }, undefined);
}

/** A code of the session for the app; answers its text. */
export function openCode(
  services: Pick<Services, 'clock' | 'random'>,
  tx: StoreVerbs,
  account: Account,
  { session, client }: Admitted<SessionRecord>,
  parameters: AuthorizationParameters,
): Promise<string> {
  return createCode(services, tx, account, client.appId, session, parameters);
}

/** Lets a device in as the session's user; false when it has expired or somebody decided before. */
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

/** A grant with its first tokens, as `startGrant` has it, bound to the key of the proof, which is used up. */
export async function openGrant(
  services: GrantServices,
  tx: StoreVerbs,
  account: Account,
  { user, client }: Admitted,
  terms: Terms,
  linked: LinkedServer | null,
  method: GrantMethod,
  proof: Proof | null,
): Promise<StartedGrant> {
  await useProof(tx, proof);
  const full = { ...terms, userId: user.id };
  return startGrant(services, tx, account, client, full, linked, method, proof?.thumbprint ?? null);
}

/**
 * A grant of the session without a refresh token, and an access token where one is wanted: what the authorization
 * endpoint answers at once.
 */
export async function openImplicitGrant(
  services: GrantServices,
  tx: StoreVerbs,
  account: Account,
  { user, session, client }: Admitted<SessionRecord>,
  terms: TermsInSession,
  linked: LinkedServer | null,
  withAccessToken: boolean,
) {
  const { sid, amr, authenticatedAt } = session;
  const full = { ...terms, sid, amr, authenticatedAt, userId: user.id };
  const grant = await createGrant(services, tx, account, client, full, linked, 'implicit');
  const first = withAccessToken ? await addFirstAccessToken(services, tx, account, client, grant, linked, null) : null;
  return { grant, first };
}

/** An access token for one that was shown; null: that of a client itself, which is no user's. */
export function openExchangedToken(
  tx: StoreVerbs,
  admitted: Admitted | null,
  row: Omit<AccessTokenRecord, 'id' | 'userId'>,
): Promise<AccessTokenRecord> {
  return addExchangedToken(tx, { ...row, userId: admitted?.user.id ?? null });
}

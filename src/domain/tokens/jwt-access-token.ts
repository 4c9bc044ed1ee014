/** Access tokens of API authorization servers: JWTs that a gateway checks with the published keys (RFC 9068). */

import { createLocalJWKSet, errors, jwtVerify } from 'jose';
import type { Services } from '../../services.ts';
import type { LinkedServer } from '../../store/authorization-servers.ts';
import type { ClientRecord } from '../../store/clients.ts';
import type { NewAccessToken } from '../../store/consumption.ts';
import type { TokenUser } from '../../store/users.ts';
import type { Account } from '../accounts/account.ts';
import { signingAlgorithmFor } from '../clients/security-profile.ts';
import { audienceOf } from './audience.ts';
import { type Binding, bindingIn, type Confirmation, confirmationOf } from './binding.ts';
import { roleNames } from './claims.ts';
import { mappedClaims } from './mapped-claims.ts';
import { subjectOf } from './subject.ts';
import { parseTokenId, tokenIdText } from './token-text.ts';

/** A client that acts for the subject, and the actor before it. */
export type Actor = {
  readonly sub: string;
  readonly act?: Actor;
};

/** The contents of an access token that carries any. */
export interface TokenContents {
  readonly scope: readonly string[];
  /** A part of the server's audience; default: all of it. */
  readonly audience?: string | readonly string[];
  /** The actor that uses it on behalf of the subject (RFC 8693 §4.1). */
  readonly actor?: Actor | null;
  /** Null for a client's own token. */
  readonly user: {
    readonly record: TokenUser;
    readonly amr: readonly string[];
    readonly acr: string;
    readonly authenticatedAt: number;
  } | null;
}

const algorithm = 'RS256';
/** Those of tokens that are valid: clients of FAPI 2.0 get the second. */
const algorithms = [algorithm, 'PS256'];
/** RFC 9068 §2.1: an id token cannot pass for an access token. */
const typ = 'at+jwt';

/** Signs the token of a stored row. `secret`: the text whose digest is in the row. */
export async function signJwtAccessToken(
  services: Pick<Services, 'store' | 'signer' | 'vault'>,
  account: Account,
  client: ClientRecord,
  linked: LinkedServer,
  row: NewAccessToken & { readonly id: number; readonly secret: string; readonly binding: Binding | null },
  { scope, user, audience, actor }: TokenContents,
): Promise<string> {
  return services.signer.sign(account, signingAlgorithmFor(account, client, algorithm), typ, {
    // Mapped claims come first, so they cannot replace the standard ones.
    ...(user && (await mappedClaims(services, linked, user.record))),
    ...(user && scope.includes('groups') && { groups: await roleNames(services, user.record) }),
    iss: account.baseUrl,
    aud: audience ?? audienceOf(linked),
    sub: user ? subjectOf(services, account, client, user.record) : client.clientId,
    client_id: client.clientId,
    iat: Math.floor(row.issuedAt / 1000),
    exp: Math.floor(row.expiresAt / 1000),
    jti: tokenIdText(row.id, row.secret),
    ...(actor && { act: actor }),
    ...(row.binding !== null && { cnf: confirmationOf(row.binding) }),
    ...(scope.length > 0 && { scope: scope.join(' ') }),
    ...(user && {
      auth_time: Math.floor(user.authenticatedAt / 1000),
      acr: user.acr,
      amr: user.amr,
    }),
  });
}

/** The contents of an authentic JWT access token. */
interface ReadJwt {
  readonly id: number;
  readonly secret: string;
  readonly audience: readonly string[];
  readonly binding: Binding | null;
  readonly actor: Actor | null;
}

/** Whether a text looks like a JWT; opaque tokens do not. */
export function looksLikeJwt(text: string): boolean {
  return text.startsWith('eyJ');
}

/**
 * The row that an access token of this account names; null if its algorithm, type, issuer or key is wrong, or if it has
 * expired.
 */
export async function readJwtAccessToken(
  { signer, clock }: Pick<Services, 'signer' | 'clock'>,
  account: Account,
  text: string,
): Promise<ReadJwt | null> {
  const keys = createLocalJWKSet({ keys: [...(await signer.published(account))] });
  try {
    const { payload } = await jwtVerify(text, keys, {
      algorithms,
      typ,
      issuer: account.baseUrl,
      requiredClaims: ['aud', 'exp', 'jti'],
      currentDate: new Date(clock.now()),
    });
    const named = parseTokenId(payload.jti ?? '');
    // This service signed it, so the claims are well-formed if present.
    const binding = bindingIn(payload['cnf'] as Confirmation | undefined);
    const actor = (payload['act'] as Actor | undefined) ?? null;
    return named && { ...named, audience: [payload.aud ?? []].flat(), binding, actor };
  } catch (error) {
    if (error instanceof errors.JOSEError) return null;
    throw error;
  }
}

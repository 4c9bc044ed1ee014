import type { components, operations } from '../../../generated/oauth2.ts';
import { addressesOf } from '../../domain/accounts/addresses.ts';
import { redeemConsoleCode } from '../../domain/administrators/redeem-code.ts';
import { type AuthenticatedClient, authenticateClient } from '../../domain/clients/authenticate-client.ts';
import { findConsole, isConsole } from '../../domain/clients/console-client.ts';
import { deviceGrant, exchangeGrant, type GrantType } from '../../domain/clients/known-values.ts';
import { nextNonce } from '../../domain/dpop/check-proof.ts';
import { Failure } from '../../domain/failure.ts';
import type { AskedAudience } from '../../domain/tokens/audience.ts';
import { grantToClient } from '../../domain/tokens/client-credentials.ts';
import { exchangeToken } from '../../domain/tokens/exchange.ts';
import { grantByPassword } from '../../domain/tokens/password-grant.ts';
import { redeemCode } from '../../domain/tokens/redeem-code.ts';
import { redeemDeviceCode } from '../../domain/tokens/redeem-device-code.ts';
import { refreshTokens } from '../../domain/tokens/refresh.ts';
import { splitScope } from '../../domain/tokens/scopes.ts';
import { type Sender, senderOf } from '../../domain/tokens/sender.ts';
import type { TokenSet } from '../../domain/tokens/token-set.ts';
import type { Handler, Origin } from '../../http/operation.ts';
import type { Services } from '../../services.ts';
import { presentedClient, tokenPath } from './presented-client.ts';

type Form = components['schemas']['TokenRequest'];
type From = Origin & {
  readonly userAgent: string | undefined;
  readonly sender: Sender;
};
type GrantHandler = (services: Services, from: From, client: AuthenticatedClient, form: Form) => Promise<TokenSet>;

/** The grant types of this endpoint; the implicit flow gets its tokens from the authorization endpoint. */
type TokenGrantType = Exclude<GrantType, 'implicit'>;

/** One grant type each (RFC 6749 §4.1.3, §6, §4.4, §4.3, RFC 8628 §3.4, RFC 8693 §2.1). */
const handlers: Readonly<Record<TokenGrantType, GrantHandler>> = {
  authorization_code: async (services, { account, sender }, client, form) => {
    const redirectUri = form.redirect_uri ?? null;
    const codeVerifier = form.code_verifier ?? null;
    const redemption = { code: need(form, 'code'), redirectUri, codeVerifier, resource: resourceOf(form), sender };
    if (isConsole(client)) return redeemConsoleCode(services, account, client, redemption);
    return redeemCode(services, account, client, redemption);
  },
  refresh_token: async (services, { account, sender }, client, form) =>
    refreshTokens(services, account, client, need(form, 'refresh_token'), askedOf(form), sender),
  client_credentials: async (services, { account, sender }, client, form) =>
    grantToClient(services, account, client, askedOf(form), sender),
  [deviceGrant]: async (services, { account, sender }, client, form) =>
    redeemDeviceCode(services, account, client, need(form, 'device_code'), resourceOf(form), sender),
  [exchangeGrant]: async (services, { account, sender }, client, form) => {
    const exchange = {
      subjectToken: need(form, 'subject_token'),
      subjectTokenType: need(form, 'subject_token_type'),
      actorToken: form.actor_token || null,
      actorTokenType: form.actor_token_type || null,
      requestedTokenType: form.requested_token_type || null,
      audience: form.audience || null,
      ...askedOf(form),
    };
    return exchangeToken(services, account, client, exchange, sender);
  },
  password: async (services, { account, source, userAgent, sender }, client, form) => {
    const attempt = { username: need(form, 'username'), password: need(form, 'password'), source, userAgent };
    const asked = { scope: form.scope, resource: resourceOf(form) };
    return grantByPassword(services, account, client, attempt, asked, sender);
  },
};

function isTokenGrantType(text: string): text is TokenGrantType {
  return Object.hasOwn(handlers, text);
}

/** POST /oauth2/token (RFC 6749 §3.2). */
export function issueToken(services: Services): Handler<operations['issueToken']> {
  return async ({ body, headers, origin }, respond) => {
    const grantType = need(body, 'grant_type');
    if (!isTokenGrantType(grantType)) throw new Failure('grant_type_unsupported', { value: grantType });
    const { account } = origin;
    const presented = presentedClient(origin, headers, body);
    const client = findConsole(account, presented) ?? (await authenticateClient(services, account, presented));
    const shown = { proof: headers['dpop'], certificate: origin.certificate, urls: addressesOf(account, tokenPath) };
    const sender = await senderOf(services, account, client, shown);
    const tokens = await handlers[grantType](
      services,
      { ...origin, userAgent: headers['user-agent'], sender },
      client,
      body,
    );
    return respond(200, representTokens(tokens), sender.proof === null ? {} : nextNonce(services, account));
  };
}

/** RFC 6749 §5.1; the scope is named whenever there is one (its grammar, §3.3, has no empty form). */
function representTokens(tokens: TokenSet): components['schemas']['TokenSet'] {
  return {
    access_token: tokens.accessToken,
    ...(tokens.issuedTokenType && { issued_token_type: tokens.issuedTokenType }),
    token_type: tokens.tokenType,
    expires_in: tokens.expiresInSeconds,
    ...(tokens.refreshToken !== null && { refresh_token: tokens.refreshToken }),
    ...(tokens.idToken !== null && { id_token: tokens.idToken }),
    ...(tokens.scope.length > 0 && { scope: tokens.scope.join(' ') }),
  };
}

function need(form: Form, name: keyof Form): string {
  const value = form[name];
  if (!value) throw new Failure('parameter_missing', { name, message: `${name} is missing` });
  return value;
}

function askedOf(form: Form): AskedAudience {
  return { scope: form.scope ? splitScope(form.scope) : null, resource: resourceOf(form) };
}

function resourceOf({ resource }: Form): string | null {
  return resource || null;
}

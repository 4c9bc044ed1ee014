/** What all deprecated surfaces have in common: their contract marks them, and each response repeats it. */

import type { Request, RequestHandler, Response } from 'express';
import type { Account } from '../domain/accounts/account.ts';
import type { LimitName } from '../domain/accounts/limit-settings.ts';
import { type DeprecatedSurface, deprecatedSurfaces, isSurfaceOn } from '../domain/accounts/surface-settings.ts';
import { readBasic } from '../domain/callers/basic.ts';
import { findApiKey } from '../domain/callers/find-api-key.ts';
import { Failure } from '../domain/failure.ts';
import type { Services } from '../services.ts';
import type { ApiKeyPlace, Contract, ContractOperation } from './contract.ts';
import { type RequestState, requestStateOf } from './request-state.ts';
import { takeLimit } from './say-limit.ts';

export interface Deprecation {
  readonly surface: DeprecatedSurface;
  /** `@<Unix time>`, since when (RFC 9745 §2). */
  readonly since: string;
  /** `<METHOD> <path>` of the replacement. */
  readonly successor: string;
}

/**
 * A contract's deprecation; null when there is none. Throws when it is incomplete: each operation of a deprecated
 * surface must be marked and must name its successor and the place of the API key.
 */
export function readDeprecation(name: string, contract: Contract): Deprecation | null {
  const told = contract['x-deprecation'];
  if (!told) return null;
  const surface = deprecatedSurfaces.find((one) => one === name);
  if (!surface) throw new Error(`the surface ${name} is deprecated and has no settings that switch it off`);
  for (const item of Object.values(contract.paths)) {
    for (const operation of Object.values(item) as ContractOperation[]) {
      if (operation.deprecated && operation['x-successor'] && operation['x-api-key']) continue;
      throw new Error(`operation ${operation.operationId} does not say how it is deprecated`);
    }
  }
  return { surface, since: `@${Math.floor(Date.parse(told.since) / 1000)}`, successor: told.successor };
}

/**
 * The headers of every response of the surface: since when it is deprecated (RFC 9745), when it ends if the account set
 * that (RFC 8594), and what replaces it (RFC 5829 §3.4). Without an account the replacement is a path, as on an
 * account's own host.
 */
export function announceDeprecation(res: Response, deprecation: Deprecation, state: RequestState): void {
  const { account, operation, pathParameters } = state;
  res.setHeader('deprecation', deprecation.since);
  const successor = operation?.['x-successor'] ?? deprecation.successor;
  const path = successor
    .slice(successor.indexOf(' ') + 1)
    .replace(/\{(\w+)\}/g, (_, name: string) => pathParameters[name] ?? '');
  // A request path may contain characters that end a URI in this header (RFC 8288 §3).
  const target = /^[\w\-.~!$&'()*+,;=:@%/]*$/.test(path)
    ? path
    : (/^[^{]*\//.exec(successor)?.[0].split(' ')[1] ?? '/');
  res.setHeader('link', `<${account?.baseUrl ?? ''}${target}>; rel="successor-version"`);
  const sunset = account?.settings.surfaces[deprecation.surface].sunset ?? null;
  if (sunset !== null) res.setHeader('sunset', new Date(sunset).toUTCString());
}

/** Whether the account switched the surface off, for good or for a rehearsal. */
export function isSwitchedOff(
  { clock }: Pick<Services, 'clock'>,
  { surface }: Deprecation,
  account: Account | null,
): boolean {
  return account !== null && !isSurfaceOn(account.settings.surfaces[surface], clock.now());
}

/**
 * Finds the caller by the API key in one of `places`; on a host that belongs to no account the key determines the
 * account. Every call with a key is counted by operation and day, even if it is then refused. Throws `not_found` if the
 * account switched the surface off, `api_key_invalid`, `rate_limited`.
 */
export function identifyByKey(
  services: Services,
  deprecation: Deprecation,
  limit: LimitName | undefined,
  places: readonly ApiKeyPlace['in'][],
): RequestHandler {
  return async (req, res, next) => {
    const state = requestStateOf(res);
    const { operation } = state;
    const place = operation?.['x-api-key'];
    if (!operation || !place || !places.includes(place.in)) return next();
    const found = await findApiKey(services, state.account, presentedKey(req, place));
    if (found) {
      state.account = found.account;
      state.apiKey = { id: found.apiKeyId, digest: found.digest };
      services.counts.add(found.account.id, `call.${operation.operationId}`, found.apiKeyId);
      announceDeprecation(res, deprecation, state);
    }
    if (isSwitchedOff(services, deprecation, state.account)) throw new Failure('not_found');
    if (!found) throw new Failure('api_key_invalid', { challenged: req.headers.authorization !== undefined });
    if (limit) await takeLimit(res, services.limits, found.account, limit, { apiKey: found.apiKeyId });
    next();
  };
}

function presentedKey(req: Request, place: ApiKeyPlace): string | undefined {
  if (place.in === 'basic') {
    const pair = readBasic(req.headers.authorization ?? '');
    // The document's §5: the key as user name and the letter x as password.
    return pair?.secret === 'x' ? pair.id : undefined;
  }
  const members: unknown = place.in === 'query' ? req.query : req.body;
  const value = typeof members === 'object' && members !== null ? Object.entries(members) : [];
  const [, key] = value.find(([name]) => name === place.name) ?? [];
  return typeof key === 'string' ? key : undefined;
}

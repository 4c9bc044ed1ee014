import type { IncomingMessage } from 'node:http';
import type { Response } from 'express';
import type { Account } from '../domain/accounts/account.ts';
import type { Actor } from '../domain/audit/context.ts';
import type { Caller } from '../domain/callers/caller.ts';
import type { Failure } from '../domain/failure.ts';
import type { ContractOperation } from './contract.ts';

/** What the service learns about one request on its way through the steps; lives in `res.locals`. */
export interface RequestState {
  readonly requestId: string;
  readonly startedAt: number;
  /** Address of the peer, or the one a trusted proxy forwarded. */
  readonly source: string;
  /** A fault of the request line or the Host, found before any surface was chosen. */
  readonly malformed: Failure | null;
  account: Account | null;
  surface: string | null;
  route: string | null;
  /** As they stand in the path, not decoded. */
  pathParameters: Readonly<Record<string, string>>;
  operation: ContractOperation | null;
  caller: Caller | null;
  /** The API key that the request was made with, on a deprecated surface. */
  apiKeyId: number | null;
  /** Why the bearer that was sent did not do; decides the answer when nothing else let the caller in. */
  callerFailure: Failure | null;
  /** The failure that was answered, for the log. */
  failure: Failure | null;
}

/** Of the request that the response answers; set by the first step of the app. */
export function requestStateOf(res: Response): RequestState {
  return res.locals['requestState'] as RequestState;
}

export function keepRequestState(res: Response, state: RequestState): void {
  res.locals['requestState'] = state;
}

/** On whose behalf a request is served, as far as the request says. */
export function actorOf({ apiKeyId, caller }: RequestState): Actor | null {
  if (apiKeyId !== null) return { type: 'API', id: apiKeyId };
  return caller && { type: 'credential', id: caller.credentialId };
}

/** How often a header stands in the request as sent. Node joins or drops repetitions, so only the raw list tells. */
export function countHeader(req: IncomingMessage, name: string): number {
  let count = 0;
  for (let index = 0; index < req.rawHeaders.length; index += 2) {
    if (req.rawHeaders[index]?.toLowerCase() === name) count += 1;
  }
  return count;
}

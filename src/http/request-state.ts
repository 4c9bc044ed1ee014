import type { IncomingMessage } from 'node:http';
import type { Response } from 'express';
import type { Account } from '../domain/accounts/account.ts';
import type { Actor } from '../domain/audit/context.ts';
import type { Caller } from '../domain/callers/caller.ts';
import type { Admitted } from '../domain/callers/still-admitted.ts';
import type { ClientCertificate } from '../domain/clients/client-certificate.ts';
import type { Failure } from '../domain/failure.ts';
import type { ServedOperation } from './contract.ts';

/** What the service learns about a request in each step; stored in `res.locals`. */
export interface RequestState {
  readonly requestId: string;
  readonly startedAt: number;
  /** As it was sent: a HEAD is served as a GET. */
  readonly method: string;
  /** Address of the peer, or the one forwarded by a trusted proxy. */
  readonly source: string;
  /** The certificate of the client's connection, from a trusted proxy. */
  readonly certificate: ClientCertificate | null;
  /** An error in the request line, the Host, or the certificate, found before any surface was chosen. */
  readonly malformed: Failure | null;
  /** Whether all of it came at once; known in the turn after the first step. */
  isWhole: boolean;
  account: Account | null;
  surface: string | null;
  route: string | null;
  /** As in the path, not decoded. */
  pathParameters: Readonly<Record<string, string>>;
  operation: ServedOperation | null;
  /** A parameter of the query whose name has brackets: no contract has one, so that it is unknown. */
  bracketed: string | null;
  caller: Caller | null;
  /** The API key of the request, on a deprecated surface. */
  apiKey: {
    readonly id: number;
    /** Of its text, by which it is looked up again. */
    readonly digest: string;
  } | null;
  /** Why the bearer was not accepted; decides the response if nothing else admits the caller. */
  callerFailure: Failure | null;
  /** The failure in the response, for the log. */
  failure: Failure | null;
}

/** The state of the request of this response; set by the app's first step. */
export function requestStateOf(res: Response): RequestState {
  return res.locals['requestState'] as RequestState;
}

export function keepRequestState(res: Response, state: RequestState): void {
  res.locals['requestState'] = state;
}

/** Who is looked at again before anything is written; null where nobody had to be known. */
export function admittedOf({ apiKey, caller }: RequestState, authorization: string | undefined): Admitted | null {
  if (apiKey !== null) return { keyDigest: apiKey.digest };
  return caller && { authorization, scopes: caller.scopes };
}

/** The actor of a request, as far as the request says. */
export function actorOf({ apiKey, caller }: RequestState): Actor | null {
  if (apiKey !== null) return { type: 'API', id: apiKey.id };
  return caller?.actor ?? null;
}

/** How often a header was sent. Node joins or drops repetitions, so this reads the raw list. */
export function countHeader(req: IncomingMessage, name: string): number {
  let count = 0;
  for (let index = 0; index < req.rawHeaders.length; index += 2) {
    if (req.rawHeaders[index]?.toLowerCase() === name) count += 1;
  }
  return count;
}

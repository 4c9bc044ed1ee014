/** Ties a handler to an operation of the contract: its input and its possible replies. */

import type { Account } from '../domain/accounts/account.ts';
import type { Caller } from '../domain/callers/caller.ts';
import type { ClientCertificate } from '../domain/clients/client-certificate.ts';
import type { Failure, FailureCode, FailureKind } from '../domain/failure.ts';
import type { ListQuery } from '../domain/listing.ts';
import type { Services } from '../services.ts';
import type { EventStream } from './event-stream.ts';
import type { JsonList, ReadPage } from './list-text.ts';
import type { TextParts } from './text-parts.ts';

type Responses<Op> = Op extends { responses: infer R } ? R : never;
type Documented<Op> = keyof Responses<Op> & number;

/** Header values by lower-case name; several for `set-cookie`. */
export type ReplyHeaders = Readonly<Record<string, string | readonly string[]>>;

/** A long list, one part after the other as fast as the client takes them. */
export interface InParts<Item> {
  readonly parts: AsyncGenerator<readonly Item[], void, undefined>;
  /** Aborted where the answer is to be cut off, with the failure that says why. */
  readonly lost?: AbortSignal;
}

type Body<Content> = Content extends { 'text/event-stream': string }
  ? EventStream
  : Content extends { 'text/csv': string }
    ? TextParts
    : XmlOrJson<Content>;

type XmlOrJson<Content> = Content extends { 'application/xml': readonly (infer Item)[] }
  ? readonly Item[] | InParts<Item>
  : Content extends { 'application/json': readonly (infer Item)[] }
    ? readonly Item[] | JsonList<Item> | TextParts
    : Content[keyof Content];

type Answer<Op, Status extends Documented<Op>> = Responses<Op>[Status] extends { content: infer Content }
  ? [body: Body<Content>, headers?: ReplyHeaders]
  : [body?: undefined, headers?: ReplyHeaders];

declare const answers: unique symbol;

/** A reply to `Op`; only that operation's `respond` can make one. */
export interface Reply<Op> {
  readonly status: number;
  readonly body: unknown;
  readonly headers: ReplyHeaders;
  readonly [answers]: Op;
}

/** Makes a reply; accepts only the documented statuses and bodies. */
type Respond<Op> = <Status extends Documented<Op>>(status: Status, ...answer: Answer<Op, Status>) => Reply<Op>;

type Given<Op, Where extends string> = Op extends { parameters: { readonly [K in Where]?: infer P } }
  ? Exclude<P, undefined>
  : never;
type RequestBody<Op> = Op extends { requestBody?: infer R }
  ? Exclude<R, undefined> extends { content: infer C }
    ? C[keyof C]
    : undefined
  : undefined;

/** Where a request came from, whatever its operation. */
export interface Origin {
  /** Returned in `x-request-id`; identifies the request in the log. */
  readonly requestId: string;
  /** As it was sent: a HEAD is served as a GET. */
  readonly method: string;
  /** The account whose host was called. */
  readonly account: Account;
  /** Address of the peer, or the one forwarded by a trusted proxy. */
  readonly source: string;
  /** The certificate of the client's connection; null where the account has mutual TLS turned off. */
  readonly certificate: ClientCertificate | null;
  readonly cookies: Readonly<Record<string, string | undefined>>;
}

/** A requested list, by the rules of its contract's `x-list`. */
export interface List {
  /** The requested page, without the filters that the contract calls special. */
  readonly query: ListQuery;
  /** All filters as sent, by name, including the special ones. */
  readonly filters: Readonly<Record<string, string>>;
  /** Whether the request asks for this member of the items. */
  shows(member: string): boolean;
  /**
   * Body and headers of the response: the requested members, and the position of the page. Throws what `read` throws,
   * and `unavailable`.
   */
  answer<Item, Shown extends object>(
    read: ReadPage<Item>,
    represent: (item: Item) => Shown,
  ): Promise<[body: JsonList<Partial<Shown>> | TextParts, headers: ReplyHeaders]>;
}

/** A validated request of `Op`. */
export interface Request<Op> {
  readonly path: Given<Op, 'path'>;
  readonly query: Given<Op, 'query'>;
  readonly body: RequestBody<Op>;
  readonly headers: Readonly<Record<string, string | undefined>>;
  /**
   * The caller if the contract requires a bearer; null for public operations and for an optional bearer that is absent.
   */
  readonly caller: Caller | null;
  readonly origin: Origin;
  /** The requested list; for an operation without `x-list`, reading it throws `internal`. */
  readonly list: List;
}

export type Handler<Op> = (request: Request<Op>, respond: Respond<Op>) => Promise<Reply<Op>>;

export type Store = Services['store'];

/** Runs the request's operation, or another one of its surface, with what writes over a store. */
export type RunOver = (store: Store, operationId?: string) => Promise<Reply<unknown>>;

/** One handler per operationId: a missing or surplus one does not compile. */
export type Handlers<Operations> = { readonly [Id in keyof Operations]: Handler<Operations[Id]> };

/** Any reply documented on the surface: the possible entries of its failure table. */
export type AnyReply<Operations> = {
  [Id in keyof Operations]: {
    [Status in Documented<Operations[Id]>]: {
      readonly status: Status;
      readonly body: Answer<Operations[Id], Status>[0];
      readonly headers?: ReplyHeaders;
    };
  }[Documented<Operations[Id]>];
}[keyof Operations];

/** What the wording of a refusal may depend on. The account is null when no account is on the host. */
export interface RefusalContext {
  readonly requestId: string;
  readonly operation: string | null;
  readonly account: Account | null;
}

/** A response outside any operation, for example to a wrong method. */
interface UnroutedReply<ErrorBody> {
  readonly status: 405;
  readonly body: ErrorBody;
  readonly headers?: ReplyHeaders;
}

type RefusalReply<Operations, ErrorBody> = AnyReply<Operations> | UnroutedReply<ErrorBody>;

/** A reply, or how to make it. */
type Refusal<Operations, ErrorBody> =
  | RefusalReply<Operations, ErrorBody>
  | ((failure: Failure, context: RefusalContext) => RefusalReply<Operations, ErrorBody>);

/** A surface's responses to failures. `ErrorBody` is the format outside any operation. */
export interface FailureTable<Operations, ErrorBody> {
  /** By kind. */
  readonly kinds: Readonly<Record<FailureKind, Refusal<Operations, ErrorBody>>>;
  /** Codes that the surface answers differently from the others of their kind. */
  readonly codes: Readonly<Partial<Record<FailureCode, Refusal<Operations, ErrorBody>>>>;
}

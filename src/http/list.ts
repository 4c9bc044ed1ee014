/**
 * One mechanism for all lists: `x-list` in the contract decides what may be requested, and the response tells the
 * position.
 */

import { Failure } from '../domain/failure.ts';
import type { ListPosition } from '../domain/listing.ts';
import type { Services } from '../services.ts';
import { type CursorContent, readCursor, writeCursor } from './cursor.ts';
import type { ListRules } from './list-contract.ts';
import { type ListRequest, readListRequest, refused } from './list-query.ts';
import { JsonList, type WrittenPage, writePage } from './list-text.ts';
import type { List, Origin, ReplyHeaders } from './operation.ts';

type Needed = Pick<Services, 'vault' | 'store'>;

/** The list that a request asks for; `path` are the parameters of its path. Throws `request_invalid`. */
export function readList(
  services: Needed,
  rules: ListRules,
  { account }: Pick<Origin, 'account'>,
  parameters: Readonly<Record<string, unknown>>,
  path: Readonly<Record<string, unknown>>,
): List {
  const text = parameters['cursor'];
  const cursor = text === undefined ? null : readCursor(services, account, rules.operationId, String(text));
  if (text !== undefined && cursor === null)
    throw refused('cursor', 'does not belong to this list; leave it out to begin again');
  const request = readListRequest(rules, parameters, cursor);
  const write = (direction: CursorContent['direction'], position: ListPosition) =>
    writeCursor(services, account, rules.operationId, {
      direction,
      position,
      limit: request.query.limit,
      sort: request.sort,
      filters: request.filters,
      fields: request.fields,
    });
  const fields = request.fields === null ? null : new Set(request.fields.split(','));
  return {
    query: request.query,
    filters: request.filters,
    shows: (member) => fields === null || fields.has(member),
    answer: async (read, represent) => {
      const show = (item: Parameters<typeof represent>[0]) => pick(represent(item), fields);
      const { json, ...page } = await writePage(services, account, request.query, read, show);
      return [
        typeof json === 'string' ? new JsonList(json) : json,
        headersOf(request, page, `${account.baseUrl}${pathOf(rules, path)}`, write),
      ];
    },
  };
}

/** Where the list is: what its parameters hold is an integer or a UUID. */
function pathOf({ path }: ListRules, parameters: Readonly<Record<string, unknown>>): string {
  return path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(String(parameters[name])));
}

/**
 * The value for requests without a list. It is a single object: V8 makes a hidden class for each object literal with a
 * getter, in the old generation, where it retains the whole request until the next full collection.
 */
export const noList: List = {
  get query(): never {
    throw isNoList();
  },
  get filters(): never {
    throw isNoList();
  },
  shows(): never {
    throw isNoList();
  },
  answer(): never {
    throw isNoList();
  },
};

function isNoList(): Failure {
  return new Failure('internal', { reason: 'the operation has no x-list' });
}

/** The members that `fields` names. */
function pick(shown: object, fields: ReadonlySet<string> | null): object {
  if (fields === null) return shown;
  return Object.fromEntries(Object.entries(shown).filter(([name]) => fields.has(name)));
}

function headersOf(
  request: ListRequest,
  { position, count }: Omit<WrittenPage, 'json'>,
  url: string,
  write: (direction: CursorContent['direction'], position: ListPosition) => string,
): ReplyHeaders {
  const after = position.after && write('after', position.after);
  const before = position.before && write('before', position.before);
  const links = 'page' in request.query.at ? pageLinks(request, position.total, url) : cursorLinks(after, before, url);
  return {
    'page-items': String(count),
    ...('page' in request.query.at && pageHeaders(request, request.query.at.page, position.total)),
    ...(after && { 'after-cursor': after }),
    ...(before && { 'before-cursor': before }),
    ...(links.length > 0 && { link: links.join(', ') }),
  };
}

function pagesOf({ query }: ListRequest, total: number | null): number {
  if (total === null) throw new Failure('internal', { reason: 'a numbered page was answered without its total' });
  return Math.ceil(total / query.limit);
}

function pageHeaders(request: ListRequest, page: number, total: number | null): ReplyHeaders {
  const pages = String(pagesOf(request, total));
  return { 'current-page': String(page), 'total-count': String(total), 'total-pages': pages };
}

/** RFC 8288 §3: targets are built from the account's own address, never from the request's. */
function link(url: string, parameters: Readonly<Record<string, string>>, rel: string): string {
  return `<${url}?${new URLSearchParams(parameters)}>; rel="${rel}"`;
}

function cursorLinks(after: string | null, before: string | null, url: string): string[] {
  return [
    ...(before ? [link(url, { cursor: before }, 'prev')] : []),
    ...(after ? [link(url, { cursor: after }, 'next')] : []),
  ];
}

function pageLinks(request: ListRequest, total: number | null, url: string): string[] {
  const { query, filters, sort, fields } = request;
  const pages = pagesOf(request, total);
  const current = 'page' in query.at ? query.at.page : 1;
  const fixed = { ...filters, sort, ...(fields !== null && { fields }), limit: String(query.limit) };
  const to = (page: number, rel: string) => link(url, { ...fixed, page: String(page) }, rel);
  return [
    ...(current > 1 ? [to(1, 'first')] : []),
    ...(current > 1 && pages > 0 ? [to(Math.min(current - 1, pages), 'prev')] : []),
    ...(current < pages ? [to(current + 1, 'next'), to(pages, 'last')] : []),
  ];
}

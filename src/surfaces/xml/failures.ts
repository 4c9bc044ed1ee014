import type { components, operations } from '../../../generated/xml.ts';
import { shortened } from '../../domain/describe.ts';
import type { Failure } from '../../domain/failure.ts';
import type { FailureTable, ReplyHeaders } from '../../http/operation.ts';

type ErrorBody = components['schemas']['Errors'];

/** The elements of members that have another name in the domain. */
const elements: Readonly<Record<string, string>> = {
  comment: 'notes',
  username: 'openid-name',
  group_id: 'group-id',
  role_id: 'role-id',
  role_ids: 'role-id',
};

function inElements(message: string): string {
  return message
    .replace(/\ba username\b/g, 'an openid-name')
    .replace(/\b(?:comment|username|group_id|role_ids?)\b/g, (word) => elements[word] ?? word);
}

type Status = 400 | 401 | 404 | 405 | 406 | 413 | 415 | 422 | 429 | 500 | 503;

/** `<errors><error>…</error></errors>`, whatever the status. */
function reply<const Of extends Status>(status: Of, words: string, headers: ReplyHeaders = {}) {
  const body: ErrorBody = [shortened(words)];
  return { status, body, headers };
}

const badRequest = ({ message }: Failure) => reply(400, message);
const unprocessable = ({ message }: Failure) => reply(422, inElements(message));
const unauthorized = reply(401, 'The API key is invalid or missing', { 'www-authenticate': 'Basic realm="gatehouse"' });

/** The media type that the caller sends or accepts. */
function mediaType({ message, detail }: Failure) {
  return detail.name === 'Accept' ? reply(406, message) : reply(415, message);
}

/** The clients of this surface look for these words: `Email has already been taken`. */
function conflict({ detail: { name = 'the value' } }: Failure) {
  const words = (elements[name] ?? name).replaceAll('-', ' ');
  return reply(422, `${words.charAt(0).toUpperCase()}${words.slice(1)} has already been taken`);
}

export const failures = {
  kinds: {
    not_found: reply(404, 'Not found'),
    method: reply(405, 'Method not allowed'),
    size: reply(413, 'The body is larger than 131072 bytes'),
    rate: reply(429, 'Rate limit exceeded'),
    request: badRequest,
    value: unprocessable,
    caller: unauthorized,
    client: unauthorized,
    grant: unprocessable,
    user: unprocessable,
    unavailable: reply(503, 'The service is temporarily unavailable'),
    internal: reply(500, 'The request could not be served'),
  },
  codes: {
    media_type_unsupported: mediaType,
    conflict,
  },
} satisfies FailureTable<operations, ErrorBody>;

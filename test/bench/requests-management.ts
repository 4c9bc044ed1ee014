/** Requests of the management API about users. */

import { getText, headerOf, unexpected } from './request-text.ts';
import type { Requests } from './requests.ts';
import type { Target } from './target.ts';

/** Of the lists of the bench. */
const pageSize = 50;

const headersOf = ({ authorization }: Target) => `Authorization: ${authorization}\r\nAccept: application/json\r\n`;

/** One user after the other. */
export function users(target: Target): Requests {
  const { path, host, tokens } = target;
  return {
    size: tokens.length,
    write: (position) => getText(host, `${path}/${tokens[position]}`, headersOf(target)),
    check: (_position, answer) =>
      answer.status === 200 && answer.body.includes('"lastname":"Lovelace ') ? null : unexpected(answer),
  };
}

/** Changes of one user after the other, each to a title that the user did not have. */
export function userChanges(target: Target): Requests {
  const { path, host, tokens } = target;
  let changes = 0;
  return {
    size: tokens.length,
    write: (position) => {
      changes += 1;
      const body = JSON.stringify({ title: `Engineer ${changes}` });
      return (
        `PUT ${path}/${tokens[position]} HTTP/1.1\r\nHost: ${host}\r\n${headersOf(target)}` +
        `Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`
      );
    },
    check: (_position, answer) =>
      answer.status === 200 && answer.body.includes('"title":"Engineer ') ? null : unexpected(answer),
  };
}

/** The second page of all users, by the cursor that the first one names. */
export function userPages(target: Target): Requests {
  const { path, host } = target;
  let cursor: string | null = null;
  let isFirst = false;
  return {
    size: 1,
    write: () => {
      const query = cursor === null ? `limit=${pageSize}` : `cursor=${encodeURIComponent(cursor)}`;
      return getText(host, `${path}?${query}`, headersOf(target));
    },
    check: (_position, answer) => {
      isFirst = cursor === null;
      if (isFirst) cursor = headerOf(answer, 'after-cursor') ?? null;
      const items = answer.body.split('"email":"').length - 1;
      return answer.status === 200 && items > 0 && cursor !== null ? null : unexpected(answer);
    },
    goesOn: () => isFirst,
  };
}

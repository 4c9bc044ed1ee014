/** Limits: across nodes, of an account, and of messages. */

import type { Mutant } from '../mutant.ts';

export const limits: readonly Mutant[] = [
  {
    id: 'limit-of-others',
    rule: 'what other nodes counted counts',
    file: 'domain/limit-portions/portion.ts',
    text: 'return this.#own.count + this.#others;',
    becomes: 'return this.#own.count;',
    killedBy: 'domain/limit-portions/nodes.test.ts',
  },
  {
    id: 'limit-share',
    rule: 'a node holds back where the others may use the rest',
    file: 'domain/limit-portions/portion.ts',
    text: 'return left > 0 && left <= this.#pace.unheard(now) && this.#own.count >= this.#share;',
    becomes: 'return false;',
    killedBy: 'domain/limit-portions/nodes.test.ts',
  },
  {
    id: 'limit-room',
    rule: 'an account has at most half of the room for shared subjects',
    file: 'domain/limit-portions/portions.ts',
    text: 'this.#countOf(accountId) < this.#most / 2',
    becomes: 'true',
    killedBy: 'domain/limit-portions/nodes.test.ts',
  },
  {
    id: 'limit-late',
    rule: 'what is told of a window that has ended does not count in the next one',
    file: 'store/knex/limit-counts.ts',
    text: 'when excluded.expires_at <= excluded.told_at then limit_counts.taken',
    becomes: 'when 1 = 0 then 0',
    killedBy: 'store/limit-counts.test.ts',
  },
  {
    id: 'limit-account',
    rule: 'all credentials of an account count together, too',
    file: 'http/limit-places.ts',
    text: 'if (isCaller(subject)) {',
    becomes: 'if (false) {',
    killedBy: 'http/rate-limit.test.ts',
  },
  {
    id: 'notice-pace',
    rule: 'messages to an address that nobody proved are held back',
    file: 'domain/means/notice-pace.ts',
    text: 'return Math.max(now, freeAt - (atOnce - 1) * period);',
    becomes: 'return now;',
    killedBy: 'domain/means/notice-pace.test.ts',
  },
  {
    id: 'notice-owner-first',
    rule: 'manage_users changes no means of a user while its owner cannot be told in time',
    file: 'domain/means/note-change.ts',
    text: "if (authority === 'users') throw tooManyWait();",
    becomes: '',
    killedBy: 'domain/means/notice-pace.test.ts',
  },
  {
    id: 'notice-proof',
    rule: 'an address is proven by a sign-in after it was written, not by one before',
    file: 'domain/means/note-change.ts',
    text: 'lastLogin > since &&',
    becomes: 'lastLogin > 0 &&',
    killedBy: 'domain/means/notice-pace.test.ts',
  },
];

/** When the body of a request is all there. */

import type { Mutant } from '../mutant.ts';

const killedBy = 'http/receive-bytes.test.ts';
const file = 'http/receive-bytes.ts';

export const arrivals: readonly Mutant[] = [
  {
    id: 'body-arrived',
    rule: 'a body that came with its head is not waited for',
    file,
    text: "if (!req.complete && readableLength !== Number(req.headers['content-length'])) return null;",
    becomes: 'if (!req.complete) return null;',
    killedBy,
  },
  {
    id: 'body-in-part',
    rule: 'a part of a body is not the body',
    file,
    text: "if (!req.complete && readableLength !== Number(req.headers['content-length'])) return null;",
    becomes: '',
    killedBy,
  },
  {
    id: 'body-arrived-limit',
    rule: 'a body beyond the limit is refused, also when it came with its head',
    file,
    text: 'readableLength === 0 || readableLength > limit',
    becomes: 'readableLength === 0',
    killedBy,
  },
];

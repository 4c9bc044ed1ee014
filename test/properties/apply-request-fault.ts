/** Puts one thing wrong into the request line, or into the headers that frame a request. */

import type { Faulty } from './apply-fault.ts';
import type { Fault } from './fault.ts';
import type { Pairs } from './requests.ts';
import { encode, type Prepared, put } from './wire.ts';

export function withRequestFault({ kind, value }: Fault, request: Prepared): Faulty | null {
  const wire = encode(request);
  const { host } = request;
  switch (kind) {
    case 'wrong method': {
      const bodiless = ['GET', 'DELETE', 'TRACE', 'OPTIONS'].includes(String(value));
      const without = bodiless ? { body: null, headers: put(wire.headers, { 'content-length': undefined }) } : {};
      return { wire: { ...wire, ...without, method: String(value) }, says: /method|cannot be used/i };
    }
    case 'unknown host':
      return { wire: { ...wire, headers: put(wire.headers, { host: String(value) }) }, says: null };
    case 'malformed host':
      return {
        wire: { ...wire, headers: put(wire.headers, { host: value === '' ? '' : `${value}${host}` }) },
        says: /Host/,
      };
    case 'two hosts':
      return { wire: { ...wire, headers: [...wire.headers, ['host', host]] }, says: /Host/ };
    case 'no host':
      return { wire: { ...wire, headers: put(wire.headers, { host: undefined }) }, says: /Host/ };
    case 'foreign target': {
      const authority = String(value).endsWith('@') ? `${value}${host}` : String(value);
      return { wire: { ...wire, target: `${authority}${wire.target}` }, says: /Host header/ };
    }
    case 'answer not accepted':
      return { wire: { ...wire, headers: put(wire.headers, { accept: String(value) }) }, says: /Accept must allow/ };
    case 'undecodable path': {
      const target = wire.target.replace(/[^/?]+(?=\?|$)/, String(value));
      return { wire: { ...wire, target }, says: null };
    }
    default: {
      const headers: Pairs = [...wire.headers, ['content-type', 'text/plain'], ['content-length', '4']];
      return { wire: { ...wire, headers, body: Buffer.from('body') }, says: /body/ };
    }
  }
}

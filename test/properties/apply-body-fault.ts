/** Puts one thing wrong into a body, or into how it is announced. */

import { gzipSync } from 'node:zlib';
import type { Faulty } from './apply-fault.ts';
import type { Fault } from './fault.ts';
import { form, json, xml } from './requests.ts';
import { encode, type Prepared, put, putMembers, type Wire } from './wire.ts';

/** The same request with another body, its length told. */
export function withContent(wire: Wire, body: Buffer | null): Wire {
  return { ...wire, body, headers: put(wire.headers, { 'content-length': String(body?.length ?? 0) }) };
}

export function withBody({ kind, value }: Fault, request: Prepared): Faulty | null {
  const { body, items, mediaType } = request;
  const wire = encode(request);
  const content = (text: string) => withContent(wire, Buffer.from(text));
  if (!body) return null;
  switch (kind) {
    case 'empty body':
      return { wire: content(''), says: null };
    case 'no body': {
      const headers = put(wire.headers, { 'content-type': undefined, 'content-length': '0' });
      return { wire: { ...wire, headers, body: null }, says: null };
    }
    case 'oversized body': {
      const padding = 'a'.repeat(140_000);
      const padded = { body: putMembers(body, { padding }), items: items && [...items, padding] };
      return { wire: encode({ ...request, ...padded }), says: null };
    }
    case 'too many members': {
      if (mediaType === xml) return { wire: content(`<user>${'<phone/>'.repeat(500)}</user>`), says: /500 elements/ };
      if (mediaType !== form) return null;
      const members = Array.from({ length: 51 }, (_, index) => [`member${index}`, 'a'] as const);
      return { wire: encode({ ...request, body: putMembers(body, Object.fromEntries(members)) }), says: null };
    }
    default:
      if (mediaType === xml) return withXml({ kind, value }, content);
      return mediaType === json ? withJson({ kind, value }, content, JSON.stringify(items ?? body)) : null;
  }
}

function withXml({ kind, value }: Pick<Fault, 'kind' | 'value'>, content: (text: string) => Wire): Faulty | null {
  switch (kind) {
    case '__proto__':
      return { wire: content(`<user><__proto__>${value}</__proto__></user>`), says: '__proto__' };
    case 'nested too deep': {
      const depth = value as number;
      return { wire: content(`${'<user>'.repeat(depth)}${'</user>'.repeat(depth)}`), says: /deep/ };
    }
    case 'malformed body':
      return { wire: content(value as string), says: /not valid XML/ };
    case 'unfit body':
      return { wire: content(value as string), says: /user|nil|attribute|element|email/ };
    default:
      return null;
  }
}

function withJson(
  { kind, value }: Pick<Fault, 'kind' | 'value'>,
  content: (text: string) => Wire,
  text: string,
): Faulty {
  // Around a list stands no object: what is wrong stands in its place.
  const rest = text === '{}' || text.startsWith('[') ? '}' : `,${text.slice(1)}`;
  switch (kind) {
    case '__proto__':
      return { wire: content(`{"__proto__":${JSON.stringify(value)}${rest}`), says: '__proto__' };
    case 'nested too deep': {
      const depth = value as number;
      return { wire: content(`{"deep":${'['.repeat(depth)}${']'.repeat(depth)}${rest}`), says: /deep/ };
    }
    case 'malformed body':
      return { wire: content(value as string), says: /JSON/ };
    default:
      return {
        wire: content(JSON.stringify(value)),
        says: typeof value === 'object' && value ? /the body|must|is required|is not allowed/ : /JSON|the body/,
      };
  }
}

export function withMediaType({ kind, value }: Fault, request: Prepared): Faulty | null {
  const wire = encode(request);
  const type = (mediaType: string | undefined) => ({
    ...wire,
    headers: put(wire.headers, { 'content-type': mediaType }),
  });
  switch (kind) {
    case 'wrong media type':
      return { wire: type(String(value)), says: /Content-Type/ };
    case 'no media type':
      // Nothing is of no type.
      return wire.body?.length ? { wire: type(undefined), says: /Content-Type/ } : null;
    case 'wrong charset':
      return { wire: type(`${request.mediaType}; charset=${value}`), says: /UTF-8/ };
    default: {
      const headers = put(wire.headers, { 'content-encoding': String(value) });
      return { wire: withContent({ ...wire, headers }, gzipSync(wire.body ?? '')), says: /compressed/ };
    }
  }
}

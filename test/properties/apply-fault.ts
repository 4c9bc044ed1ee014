/** Puts one thing wrong into a request, and says what the refusal must name. */

import { withBody, withContent, withMediaType } from './apply-body-fault.ts';
import { withRequestFault } from './apply-request-fault.ts';
import type { Fault } from './fault.ts';
import { withProofFault } from './proofs.ts';
import { json, type Pairs, xml } from './requests.ts';
import { type LivePlace, livePlaces, type Taken } from './taken.ts';
import { elementOf, encode, encodePairs, type Prepared, put, putMembers, type Wire } from './wire.ts';

/** A request with one thing wrong. */
export interface Faulty {
  readonly wire: Wire;
  /** What the refusal must tell; null where the standard or the surface fixes its words. */
  readonly says: string | RegExp | null;
  /** The only status that refuses it, where there is one. */
  readonly status?: number;
}

/** What a fault may draw on beside the request itself. */
export interface FaultSources {
  /** Live values for the same request: of another account, and of this one before they expired. */
  readonly foreign: Taken;
  readonly expired: Taken | undefined;
}

/** Applies a fault; null where the request has nothing that could be wrong in that way. */
export function applyFault(fault: Fault, request: Prepared, taken: Taken, sources: FaultSources): Faulty | null {
  if (isIgnored(fault, request)) return null;
  switch (fault.kind) {
    case 'unfit value':
    case 'control character':
    case 'lone surrogate':
      return withValue(fault, request);
    case 'demand unmet':
      return withoutDemand(fault, request);
    case 'given twice':
      return givenTwice(fault, request);
    case 'bad UTF-8':
      return withBadBytes(fault, request);
    case 'left out':
    case 'changed':
    case "another account's":
      return withLive(fault, request, taken, sources);
    case 'expired':
      if (!taken.expires || !sources.expired) return null;
      return { wire: encode(replaceLive(request, sources.expired)), says: null };
    case 'too little scope':
      return taken.narrow === undefined ? null : { wire: encode(withHeader(request, taken.narrow)), says: null };
    case 'user locked':
    case 'user suspended':
      return taken.user ? { wire: encode(request), says: null } : null;
    case 'unfit body':
    case '__proto__':
    case 'nested too deep':
    case 'malformed body':
    case 'empty body':
    case 'no body':
    case 'oversized body':
    case 'too many members':
      return withBody(fault, request);
    case 'wrong media type':
    case 'no media type':
    case 'wrong charset':
    case 'compressed body':
      return withMediaType(fault, request);
    case 'wrong method':
    case 'unknown host':
    case 'malformed host':
    case 'two hosts':
    case 'no host':
    case 'foreign target':
    case 'body where none is taken':
    case 'undecodable path':
    case 'answer not accepted':
      return withRequestFault(fault, request);
    default:
      return withProofFault(fault.kind, request, taken);
  }
}

/** Delegated authentication reads the parameters that it knows, and nothing makes it look at others (X8). */
function isIgnored({ place, name }: Fault, { operation }: Prepared): boolean {
  if (operation.surface !== 'api-v1' || place !== 'query') return false;
  return !operation.parameters.some((parameter) => parameter.name === name);
}

function withValue(fault: Fault, request: Prepared): Faulty | null {
  const { place, name = '', value } = fault;
  if (place === 'body') {
    if (!request.body || (typeof value !== 'string' && ![json, xml].includes(request.mediaType ?? ''))) return null;
    // In a form a lone surrogate cannot be written.
    if (typeof value === 'string' && !value.isWellFormed() && request.mediaType !== json) return null;
    // A document says where a character stands, and not in what.
    const says = fault.kind === 'control character' && request.mediaType === xml ? /a character/ : name;
    return { wire: encode({ ...request, body: putMembers(request.body, { [name]: value }) }), says };
  }
  const text = String(value);
  if (place === 'path') return { wire: encode({ ...request, path: { ...request.path, [name]: text } }), says: name };
  if (place === 'headers') {
    // Space around a header's value is not part of it, and no client can write other characters there.
    if (text !== text.trim() || /[^\t\x20-\x7e]/.test(text)) return null;
    return { wire: encode({ ...request, headers: put(request.headers, { [name]: text }) }), says: name };
  }
  return { wire: encode({ ...request, query: put(request.query, { [name]: text }) }), says: name };
}

/** A parameter or a member left out, or with a value that it cannot have. */
function withoutDemand({ place, name = '', value }: Fault, request: Prepared): Faulty {
  const query = place === 'query' ? put(request.query, { [name]: value as string | undefined }) : request.query;
  const body = place === 'body' ? putMembers(request.body ?? {}, { [name]: value }) : request.body;
  return { wire: encode({ ...request, query, body }), says: name };
}

function givenTwice({ place, name = '', value }: Fault, request: Prepared): Faulty | null {
  if (place === 'query') {
    const first = request.query.find(([one]) => one === name)?.[1] ?? 'one';
    const query: Pairs = [...put(request.query, { [name]: first }), [name, String(value)]];
    return { wire: encode({ ...request, query }), says: name };
  }
  if (!request.body) return null;
  const first = request.body[name] ?? 'one';
  const body = putMembers(request.body, { [name]: first });
  const wire = encode({ ...request, body });
  const text = wire.body?.toString('utf8') ?? '';
  const again: Readonly<Record<string, () => string>> = {
    [json]: () => `{${JSON.stringify(name)}:${JSON.stringify(first)},${text.slice(1)}`,
    [xml]: () => text.replace('<user>', () => `<user>${elementOf([name, value])}`),
  };
  const twice = again[request.mediaType ?? '']?.() ?? `${text}&${encodePairs([[name, String(value)]])}`;
  return { wire: withContent(wire, Buffer.from(twice)), says: name };
}

function withBadBytes({ place, name = '', value }: Fault, request: Prepared): Faulty | null {
  const bytes = value as Buffer;
  const encoded = bytes.toString('hex').replaceAll(/../g, '%$&');
  if (place === 'query') {
    const { target, ...wire } = encode({ ...request, query: put(request.query, { [name]: undefined }) });
    return {
      wire: { ...wire, target: `${target}${target.includes('?') ? '&' : '?'}${name}=a${encoded}` },
      says: /UTF-8/,
    };
  }
  if (!request.body) return null;
  const marker = 'marker-of-bad-bytes';
  const wire = encode({ ...request, body: putMembers(request.body, { [name]: marker }) });
  const whole = wire.body ?? Buffer.alloc(0);
  const at = whole.indexOf(marker);
  const inside = [json, xml].includes(request.mediaType ?? '') ? bytes : Buffer.from(encoded);
  return {
    wire: withContent(wire, Buffer.concat([whole.subarray(0, at), inside, whole.subarray(at + marker.length)])),
    says: /UTF-8/,
  };
}

/** The live values of a request that a refusal depends on. */
function neededOf(taken: Taken, leftOut: boolean): { place: LivePlace; name: string; value: string }[] {
  const { live, loose = [], optional = [] } = taken;
  const isNeeded = (name: string, value: unknown) =>
    value !== undefined && !(leftOut ? optional : loose).includes(name);
  return livePlaces.flatMap((place) =>
    Object.entries(live[place] ?? {}).flatMap(([name, value]) =>
      isNeeded(name, value) ? [{ place, name, value: String(value) }] : [],
    ),
  );
}

function withLive({ kind, pick }: Fault, request: Prepared, taken: Taken, { foreign }: FaultSources): Faulty | null {
  const needed = neededOf(taken, kind === 'left out').filter(({ place }) => kind !== 'left out' || place !== 'path');
  const chosen = needed[pick % needed.length];
  if (!chosen) return null;
  const { place, name, value } = chosen;
  const other = foreign.live[place]?.[name];
  // What both accounts would send is nobody's own.
  const isForeign = kind === "another account's" && other !== undefined && String(other) !== value;
  const replaced = isForeign ? other : changed(name, value, pick);
  const put = { ...request, ...placed(request, place, name, kind === 'left out' ? undefined : replaced) };
  return {
    wire: encode(put),
    says: kind === 'left out' && name !== 'authorization' && name !== 'cookie' ? name : null,
  };
}

function changed(name: string, value: string, pick: number): string {
  const [scheme = ''] = value.split(' ', 1);
  const others =
    name === 'authorization'
      ? ['x', `${scheme} x`, 'Basic !!!', 'Basic eDp5', 'Bearer x.y', 'Negotiate abc', scheme]
      : // The beginning of a number may be another one's.
        [`${value}x`, /^\d+$/.test(value) ? String(2 ** 31 - 1) : value.slice(0, -1), 'x'];
  return others[pick % others.length] ?? 'x';
}

function placed(request: Prepared, place: LivePlace, name: string, given: unknown): Partial<Prepared> {
  const value = given === undefined ? undefined : String(given);
  switch (place) {
    case 'path':
      return { path: { ...request.path, [name]: value ?? '' } };
    case 'query':
      return { query: put(request.query, { [name]: value }) };
    case 'headers':
      return { headers: put(request.headers, { [name]: value }) };
    case 'body':
      return { body: request.body && putMembers(request.body, { [name]: given }) };
  }
}

function replaceLive(request: Prepared, { live }: Taken): Prepared {
  return {
    ...request,
    query: put(request.query, live.query),
    headers: put(request.headers, live.headers),
    body: request.body && putMembers(request.body, live.body),
  };
}

function withHeader(request: Prepared, authorization: string): Prepared {
  return { ...request, headers: put(request.headers, { authorization }) };
}

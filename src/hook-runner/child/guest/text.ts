/** UTF-8 and base64 as in the Encoding and HTML standards. */

export class TextEncoder {
  readonly encoding = 'utf-8';

  encode(text = ''): Uint8Array {
    const source = String(text);
    const bytes = new Uint8Array(source.length * 3);
    let size = 0;
    for (const character of source) {
      const point = character.codePointAt(0) as number;
      const code = point >= 0xd800 && point <= 0xdfff ? 0xfffd : point;
      size = writePoint(bytes, size, code);
    }
    return bytes.slice(0, size);
  }
}

function writePoint(bytes: Uint8Array, start: number, code: number): number {
  let at = start;
  if (code < 0x80) {
    bytes[at++] = code;
    return at;
  }
  if (code < 0x800) bytes[at++] = 0xc0 | (code >> 6);
  else {
    if (code < 0x10000) bytes[at++] = 0xe0 | (code >> 12);
    else {
      bytes[at++] = 0xf0 | (code >> 18);
      bytes[at++] = 0x80 | ((code >> 12) & 63);
    }
    bytes[at++] = 0x80 | ((code >> 6) & 63);
  }
  bytes[at++] = 0x80 | (code & 63);
  return at;
}

type Bytes = ArrayBuffer | ArrayBufferView;

export function bytesOf(source: Bytes): Uint8Array {
  return ArrayBuffer.isView(source)
    ? new Uint8Array(source.buffer, source.byteOffset, source.byteLength)
    : new Uint8Array(source);
}

export class TextDecoder {
  readonly encoding = 'utf-8';
  readonly fatal: boolean;
  readonly ignoreBOM: boolean;

  constructor(label = 'utf-8', options: { fatal?: boolean; ignoreBOM?: boolean } = {}) {
    if (!/^\s*(?:unicode-1-1-utf-8|utf-?8)\s*$/i.test(String(label))) {
      throw new RangeError(`The "${label}" encoding is not supported`);
    }
    this.fatal = options.fatal === true;
    this.ignoreBOM = options.ignoreBOM === true;
  }

  decode(source: Bytes = new ArrayBuffer(0)): string {
    const bytes = bytesOf(source);
    let text = '';
    let at = 0;
    while (at < bytes.length) {
      const { code, size } = readPoint(bytes, at);
      if (code === -1 && this.fatal) throw new TypeError('The encoded data was not valid for encoding utf-8');
      text += String.fromCodePoint(code === -1 ? 0xfffd : code);
      at += size;
    }
    return !this.ignoreBOM && text.startsWith('\ufeff') ? text.slice(1) : text;
  }
}

/** The number of bytes that follow a lead byte; 0 for an invalid lead byte. */
function following(first: number): number {
  if (first >= 0xc2 && first < 0xe0) return 1;
  if (first >= 0xe0 && first < 0xf0) return 2;
  return first >= 0xf0 && first < 0xf5 ? 3 : 0;
}

/** Limits for the second byte: they exclude overlong forms, surrogates and code points above U+10FFFF. */
const secondBytes: Readonly<Record<number, readonly [lowest: number, highest: number]>> = {
  224: [0xa0, 0xbf],
  237: [0x80, 0x9f],
  240: [0x90, 0xbf],
  244: [0x80, 0x8f],
};

/** The code point at `at`, or -1 and the length of the longest valid prefix of one. */
function readPoint(bytes: Uint8Array, at: number): { code: number; size: number } {
  const first = bytes[at] as number;
  if (first < 0x80) return { code: first, size: 1 };
  const more = following(first);
  if (more === 0) return { code: -1, size: 1 };
  let [lowest, highest] = secondBytes[first] ?? [0x80, 0xbf];
  let code = first & (0x3f >> more);
  for (let size = 1; size <= more; size++) {
    const byte = bytes[at + size];
    if (byte === undefined || byte < lowest || byte > highest) return { code: -1, size };
    code = (code << 6) | (byte & 63);
    lowest = 0x80;
    highest = 0xbf;
  }
  return { code, size: more + 1 };
}

const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';

export function btoa(data: unknown): string {
  const text = String(data);
  if (/[^\0-\xff]/.test(text)) throw new TypeError('Invalid character');
  return toBase64(Uint8Array.from(text, (character) => character.charCodeAt(0)));
}

export function toBase64(bytes: Uint8Array): string {
  let text = '';
  for (let at = 0; at < bytes.length; at += 3) {
    const [first = 0, second, third] = bytes.subarray(at, at + 3);
    text += alphabet[first >> 2];
    text += alphabet[((first & 3) << 4) | ((second ?? 0) >> 4)];
    text += second === undefined ? '=' : alphabet[((second & 15) << 2) | ((third ?? 0) >> 6)];
    text += third === undefined ? '=' : alphabet[third & 63];
  }
  return text;
}

export function atob(data: unknown): string {
  const text = String(data).replace(/[\t\n\f\r ]/g, '');
  const body = text.length % 4 === 0 ? text.replace(/={1,2}$/, '') : text;
  if (body.length % 4 === 1 || /[^A-Za-z0-9+/]/.test(body)) {
    throw new TypeError('The string to be decoded is not correctly encoded.');
  }
  let result = '';
  let buffer = 0;
  let bits = 0;
  for (const character of body) {
    buffer = ((buffer << 6) | alphabet.indexOf(character)) & 0xffff;
    bits += 6;
    if (bits < 8) continue;
    bits -= 8;
    result += String.fromCharCode((buffer >> bits) & 0xff);
  }
  return result;
}

export function fromBase64(text: string): Uint8Array {
  return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
}

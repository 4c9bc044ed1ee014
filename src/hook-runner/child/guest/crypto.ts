/** The part of Node's `crypto` that functions need: hashes, HMACs, random values. The host computes them. */

import { limits } from '../../protocol.ts';
import { ask } from './host.ts';
import { bytesOf, fromBase64, TextEncoder, toBase64 } from './text.ts';

type Data = string | ArrayBuffer | ArrayBufferView;
type BufferMaker = { from(bytes: Uint8Array): { toString(encoding: string): string } & Uint8Array };

function toBytes(data: Data, encoding?: string): Uint8Array {
  if (typeof data !== 'string') return bytesOf(data);
  if (encoding === undefined || /^utf-?8$/i.test(encoding)) return new TextEncoder().encode(data);
  return (globalThis as unknown as { Buffer: { from(text: string, encoding: string): Uint8Array } }).Buffer.from(
    data,
    encoding,
  );
}

function buffer(bytes: Uint8Array) {
  return (globalThis as unknown as { Buffer: BufferMaker }).Buffer.from(bytes);
}

class Digest {
  readonly #algorithm: string;
  readonly #key: string | null;
  #data: Uint8Array = new Uint8Array(0);
  #isDone = false;

  constructor(algorithm: unknown, key: string | null) {
    this.#algorithm = String(algorithm).toLowerCase().replace(/^sha-/, 'sha');
    this.#key = key;
    if (!['sha256', 'sha512'].includes(this.#algorithm)) {
      throw new TypeError(`Digest method not supported: ${this.#algorithm}; supported: sha256, sha512`);
    }
  }

  update(data: Data, encoding?: string): this {
    if (this.#isDone) throw new Error('Digest already called');
    const more = toBytes(data, encoding);
    const size = this.#data.length + more.length;
    if (size > limits.hashedBytes) throw new RangeError(`more than ${limits.hashedBytes} bytes to digest`);
    const joined = new Uint8Array(size);
    joined.set(this.#data);
    joined.set(more, this.#data.length);
    this.#data = joined;
    return this;
  }

  digest(encoding?: string) {
    if (this.#isDone) throw new Error('Digest already called');
    this.#isDone = true;
    const result = fromBase64(ask<string>('digest', [this.#algorithm, this.#key, toBase64(this.#data)]));
    return encoding === undefined || encoding === 'buffer' ? buffer(result) : buffer(result).toString(encoding);
  }
}

function random(size: number): Uint8Array {
  if (!Number.isInteger(size) || size < 0 || size > limits.randomBytes) {
    throw new RangeError(`between 0 and ${limits.randomBytes} random bytes at a time`);
  }
  return fromBase64(ask<string>('random', size));
}

export const crypto = {
  randomBytes: (size: number) => buffer(random(size)),
  randomUUID: (): string => ask<string>('uuid', null),
  getRandomValues<List extends ArrayBufferView>(list: List): List {
    bytesOf(list).set(random(list.byteLength));
    return list;
  },
  createHash: (algorithm: string) => new Digest(algorithm, null),
  createHmac: (algorithm: string, key: Data) => new Digest(algorithm, toBase64(toBytes(key))),
  timingSafeEqual(one: ArrayBufferView, other: ArrayBufferView): boolean {
    const first = bytesOf(one);
    const second = bytesOf(other);
    if (first.length !== second.length) throw new RangeError('Input buffers must have the same byte length');
    let difference = 0;
    for (let index = 0; index < first.length; index++) difference |= (first[index] ?? 0) ^ (second[index] ?? 0);
    return difference === 0;
  },
};

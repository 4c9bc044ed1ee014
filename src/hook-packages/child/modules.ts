/** Replacements for Node's own modules: packages that need no operating system, and what a function's globals offer. */

import { isBuiltin } from 'node:module';
import type { ShimFile, Shims } from './shims.ts';

/**
 * `crypto`, `process` and timers are the function's own. `crypto` also gets key objects, because libraries that sign
 * tokens wrap their secrets in them; there are no key pairs. `stream` has only the constructors, which libraries
 * inherit from without using them; no data flows.
 */
const sources: Readonly<Record<string, string>> = {
  __proto__: null as never,
  crypto: `const own = globalThis.crypto;
    class KeyObject {
      #secret;
      constructor(secret) { this.#secret = secret; this.type = 'secret'; }
      export() { return this.#secret; }
    }
    const secretOf = (key) => (key instanceof KeyObject ? key.export() : key);
    const refuse = () => { throw new Error('functions have secret keys only'); };
    module.exports = { ...own, KeyObject, createPublicKey: refuse, createPrivateKey: refuse,
      createSecretKey: (secret) => new KeyObject(secret),
      createHmac: (algorithm, key) => own.createHmac(algorithm, secretOf(key)) };`,
  process: 'module.exports = globalThis.process;',
  timers: 'module.exports = globalThis;',
  stream: `const Events = require('events');
    function Stream() { Events.call(this); }
    Object.setPrototypeOf(Stream.prototype, Events.prototype);
    Object.setPrototypeOf(Stream, Events);
    for (const name of ['pipe', 'read', 'write', 'end'])
      Stream.prototype[name] = function () { throw new Error('streams do not exist in functions'); };
    for (const name of ['Stream', 'Readable', 'Writable', 'Duplex', 'Transform', 'PassThrough']) Stream[name] = Stream;
    module.exports = Stream;`,
};

interface ModuleOfNode {
  /** The name of a file that ships with the program. */
  readonly file: string | null;
  readonly source: string | null;
}

/** What a bundle may include besides the packages' files. */
export interface ModulesOfNode {
  /** Null when it is not a Node module; both members are null when functions have no replacement for it. */
  find(name: string): ModuleOfNode | null;
  /** The files that `find` and these files refer to, by name. */
  readonly files: ReadonlyMap<string, ShimFile>;
}

export function readModules({ modules, files }: Shims): ModulesOfNode {
  const targets = new Map(Object.entries(modules));
  return {
    find(name) {
      if (!isBuiltin(name)) return null;
      const plain = name.replace(/^node:/, '');
      return { file: targets.get(plain) ?? null, source: sources[plain] ?? null };
    },
    files: new Map(Object.entries(files)),
  };
}

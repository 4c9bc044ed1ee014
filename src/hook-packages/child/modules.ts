/**
 * What stands in the place of Node's own modules: packages that need no machine, and what a function's world offers.
 */

import { isBuiltin } from 'node:module';
import type { ShimFile, Shims } from './shims.ts';

/**
 * `crypto`, `process` and timers are those of the function. To `crypto` come keys as objects, which libraries that sign
 * tokens wrap their secrets in; there are none of two halves. Of `stream` there are the constructors, which libraries
 * inherit from without using them; nothing flows.
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
  /** The name of a file among those that the program brings along. */
  readonly file: string | null;
  readonly source: string | null;
}

/** What a bundle may take beside the files of packages. */
export interface ModulesOfNode {
  /** Null when it is no module of Node; both members null when functions have nothing in its place. */
  find(name: string): ModuleOfNode | null;
  /** A file that `find` or another such file named. */
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

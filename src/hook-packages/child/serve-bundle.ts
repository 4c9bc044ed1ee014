/**
 * The process that bundles: it sees the folder of the build and the bundler, and reads what the other one has written.
 */

import type { ToBundle } from '../protocol.ts';
import { listen, refusalOf, say } from './pipe.ts';

const mostFrameBytes = 64 * 1024;

/** `bundle` makes one script of the named packages, or throws a `PackageRefusal`. */
export function serveBundle(bundle: (names: readonly string[]) => Promise<string>): void {
  listen<ToBundle>(mostFrameBytes, ({ names }) => {
    bundle(names).then(
      (script) => say({ op: 'bundled', script }),
      (error) => say(refusalOf(error)),
    );
  });
}

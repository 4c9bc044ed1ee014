/** The bundle process: it sees the build folder and the bundler, and reads what the fetch process wrote. */

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

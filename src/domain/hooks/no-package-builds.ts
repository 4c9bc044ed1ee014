import type { PackageBuilds } from './package-builds.ts';
import { invalid } from './values.ts';

/** Where packages cannot be built: a hook that names one is refused. */
export function createNoPackageBuilds(): PackageBuilds {
  return {
    check: async () => {
      throw invalid('packages', 'cannot be built here');
    },
    queue: async () => {
      throw invalid('packages', 'cannot be built here');
    },
    wake: () => {},
    find: async () => new Map(),
    read: async () => null,
    remove: async () => {},
    onEnd: () => {},
  };
}

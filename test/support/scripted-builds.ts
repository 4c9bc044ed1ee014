/** Package builds that the test ends by hand. */

import type { PackageBuild } from '../../src/domain/hooks/package-builds.ts';
import type { PackageQueue } from '../../src/domain/hooks/package-queue.ts';

export interface ScriptedBuilds extends PackageQueue {
  /** Ends the build that was queued last, for the account's packages. */
  end(state: 'ready' | 'failed', script?: string): void;
  readonly removed: readonly number[];
}

export function scriptedBuilds(): ScriptedBuilds {
  const builds: { build: PackageBuild; script: string | null }[] = [];
  const removed: number[] = [];
  const found = (id: number) => builds[id - 1];
  return {
    removed,
    walls: () => 'off',
    check: async () => {},
    queue: async () => {
      const id = builds.length + 1;
      builds.push({ build: { id, state: 'queued', failure: null }, script: null });
      return id;
    },
    end: (state, script = '({})') => {
      const last = builds.at(-1);
      if (!last) throw new Error('nothing was queued');
      last.build = { ...last.build, state, failure: state === 'failed' ? 'it cannot be found' : null };
      last.script = script;
    },
    wake: () => {},
    start: () => {},
    stop: async () => {},
    find: async (_verbs, _accountId, ids) =>
      new Map(
        ids.flatMap((id) => {
          const one = found(id);
          return one ? [[id, one.build] as const] : [];
        }),
      ),
    read: async (_accountId, id) => (found(id)?.build.state === 'ready' ? (found(id)?.script ?? null) : null),
    remove: async (_tx, _accountId, id) => void removed.push(id),
    onEnd: () => {},
  };
}

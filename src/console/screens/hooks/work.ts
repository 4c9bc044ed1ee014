/** What is typed of a hook, beside what is stored: nothing typed is lost when somebody else writes meanwhile. */

import { useEffect, useState } from 'preact/hooks';
import { bodyOf, isSame, memberOf, type Values } from '../../parts/members.ts';
import type { Definition } from './definition.ts';

export interface Work {
  /** As it would be saved. */
  readonly value: Definition;
  readonly isChanged: boolean;
  change(name: string, next: unknown): void;
  discard(): void;
  /** This much was saved; what was typed since is kept. */
  settle(saved: Definition): void;
  /** What somebody else made of a member since the first change. */
  others(name: string): string | undefined;
}

/** `stored` is what the surface has, or what something new begins with. Changes are kept by their paths. */
export function useWork(stored: Definition): Work {
  const [changes, setChanges] = useState<Values>({});
  const [base, setBase] = useState(stored);
  const isChanged = Object.keys(changes).length > 0;
  useEffect(() => {
    if (!isChanged) setBase(stored);
  }, [stored, isChanged]);
  return {
    value: withChanges(stored, changes),
    isChanged,
    change: (path, next) =>
      setChanges(({ [path]: _, ...others }) =>
        isSame(next, memberOf(base, path) ?? null) ? others : { ...others, [path]: next },
      ),
    discard: () => setChanges({}),
    settle: (saved) => {
      setBase(saved);
      setChanges((now) =>
        Object.fromEntries(Object.entries(now).filter(([path, next]) => !isSame(next, memberOf(saved, path)))),
      );
    },
    others: (path) => {
      const now = memberOf(stored, path);
      return isChanged && !isSame(now, memberOf(base, path)) ? String(now ?? 'nothing') : undefined;
    },
  };
}

/** Options lie within the definition: those that were not changed are what is stored now. */
function withChanges(stored: Definition, changes: Values): Definition {
  const { options, ...others } = bodyOf(changes);
  const next = { ...stored, ...others };
  return (options ? { ...next, options: { ...stored.options, ...options } } : next) as Definition;
}

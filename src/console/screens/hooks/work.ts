/** What is typed of a hook, beside what is stored: nothing typed is lost when somebody else writes meanwhile. */

import { useEffect, useState } from 'preact/hooks';
import { isSame } from '../../parts/members.ts';
import type { Definition } from './definition.ts';

type Name = keyof Definition;

export interface Work {
  /** As it would be saved. */
  readonly value: Definition;
  readonly isChanged: boolean;
  change(name: string, next: unknown): void;
  discard(): void;
  /** What somebody else made of a member since the first change. */
  others(name: string): string | undefined;
}

/** `stored` is what the surface has, or what something new begins with. */
export function useWork(stored: Definition): Work {
  const [changes, setChanges] = useState<Partial<Record<Name, unknown>>>({});
  const [base, setBase] = useState(stored);
  const isChanged = Object.keys(changes).length > 0;
  useEffect(() => {
    if (!isChanged) setBase(stored);
  }, [stored, isChanged]);
  const value = { ...stored, ...changes } as Definition;
  return {
    value,
    isChanged,
    change: (path, given) => {
      const [name = '', inner] = path.split('.') as [Name, string?];
      setChanges((before) => {
        const present = { ...stored, ...before }[name];
        const next = inner === undefined ? given : { ...(present as object | null), [inner]: given };
        const { [name]: _, ...rest } = before;
        return isSame(next, base[name]) ? rest : { ...rest, [name]: next };
      });
    },
    discard: () => setChanges({}),
    others: (path) => {
      const name = path.split('.')[0] as Name;
      if (!isChanged || isSame(stored[name], base[name])) return undefined;
      return typeof stored[name] === 'object' ? JSON.stringify(stored[name]) : String(stored[name] || 'nothing');
    },
  };
}

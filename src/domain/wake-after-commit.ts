import type { Services } from '../services.ts';
import { lazily } from '../store/lazily.ts';
import type { Store } from '../store/store.ts';
import type { Worker } from './worker.ts';

type Wakeable = Pick<Worker, 'wake'>;

/** The workers that send messages and clear removals. */
type Woken = Readonly<Record<keyof Pick<Services, 'changeNotices' | 'logoutNotices'> | 'clearing', Wakeable>>;

/** The same functions; `note` is called at each call of one. */
function noting<Verbs extends object>(verbs: Verbs, name: keyof Verbs, note: () => void): Verbs {
  return lazily(() => {
    const verb = verbs[name] as (...given: readonly unknown[]) => unknown; // All members of a group are functions.
    const noted = (...given: readonly unknown[]) => {
      note();
      return verb(...given);
    };
    return { ...verbs, [name]: noted };
  });
}

/**
 * The same store, but when a transaction commits, it wakes the workers for what the transaction left to send or to
 * clear. The code that makes a change need not know them.
 */
export function wakeAfterCommit(store: Store, { changeNotices, logoutNotices, clearing }: Woken): Store {
  return {
    ...store,
    transaction: async (work) => {
      const left = new Set<Wakeable>();
      const result = await store.transaction((tx) => {
        // A retry: nothing is left of the former attempt.
        left.clear();
        const add: typeof tx.changeNotices.add = async (...given) => {
          left.add(changeNotices);
          await tx.changeNotices.add(...given);
        };
        const addForSessions: typeof tx.notices.addForSessions = async (...given) => {
          const count = await tx.notices.addForSessions(...given);
          if (count > 0) left.add(logoutNotices);
          return count;
        };
        const removes = <Verbs extends object>(verbs: Verbs, name: keyof Verbs) =>
          noting(verbs, name, () => left.add(clearing));
        return work({
          ...tx,
          notices: lazily(() => ({ ...tx.notices, addForSessions })),
          changeNotices: lazily(() => ({ ...tx.changeNotices, add })),
          users: removes(tx.users, 'remove'),
          clients: removes(tx.clients, 'remove'),
          roles: removes(tx.roles, 'remove'),
          attributes: removes(tx.attributes, 'remove'),
          access: removes(tx.access, 'endLost'),
          authorizationServers: removes(removes(removes(tx.authorizationServers, 'unlink'), 'remove'), 'endOpen'),
        });
      });
      for (const worker of left) worker.wake();
      return result;
    },
  };
}

import type { Services } from '../services.ts';
import type { Store } from '../store/store.ts';
import type { Worker } from './worker.ts';

type Wakeable = Pick<Worker, 'wake'>;

/** Who sends what was left to send, and clears what was removed. */
type Woken = Readonly<Record<keyof Pick<Services, 'changeNotices' | 'logoutNotices'> | 'clearing', Wakeable>>;

/** The same verbs; `note` hears of each call of one. */
function noting<Verbs extends object>(verbs: Verbs, name: keyof Verbs, note: () => void): Verbs {
  const verb = verbs[name] as (...given: readonly unknown[]) => unknown; // All members of a group are verbs.
  const noted = (...given: readonly unknown[]) => {
    note();
    return verb(...given);
  };
  return { ...verbs, [name]: noted };
}

/**
 * The same store, which has workers send at once what a transaction left to send, and clear what it removed: nobody who
 * changes something knows of them.
 */
export function wakeAfterCommit(store: Store, { changeNotices, logoutNotices, clearing }: Woken): Store {
  return {
    ...store,
    transaction: async (work) => {
      const left = new Set<Wakeable>();
      const result = await store.transaction((tx) => {
        // Another attempt: of the one before nothing is left.
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
        const notices = { ...tx.notices, addForSessions };
        const removes = <Verbs extends object>(verbs: Verbs, name: keyof Verbs) =>
          noting(verbs, name, () => left.add(clearing));
        return work({
          ...tx,
          notices,
          changeNotices: { ...tx.changeNotices, add },
          users: removes(tx.users, 'remove'),
          clients: removes(tx.clients, 'remove'),
          roles: removes(tx.roles, 'remove'),
          attributes: removes(tx.attributes, 'remove'),
          access: removes(tx.access, 'endLost'),
        });
      });
      for (const worker of left) worker.wake();
      return result;
    },
  };
}

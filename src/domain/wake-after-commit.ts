import type { Services } from '../services.ts';
import type { Store } from '../store/store.ts';
import type { Worker } from './worker.ts';

type Woken = Pick<Worker, 'wake'>;

/**
 * The same store, which has workers send at once what a transaction left to send: nobody who changes something knows of
 * them.
 */
export function wakeAfterCommit(
  store: Store,
  { changeNotices, logoutNotices }: Readonly<Record<keyof Pick<Services, 'changeNotices' | 'logoutNotices'>, Woken>>,
): Store {
  return {
    ...store,
    transaction: async (work) => {
      const left = new Set<Woken>();
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
        return work({ ...tx, notices, changeNotices: { ...tx.changeNotices, add } });
      });
      for (const worker of left) worker.wake();
      return result;
    },
  };
}

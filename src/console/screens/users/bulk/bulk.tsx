import { useEffect, useState } from 'preact/hooks';
import type { Schemas } from '../../../api/contract.ts';
import { counted } from '../../../parts/counted.ts';
import { may } from '../../../session/session.ts';
import { type BulkAction, bulkActions } from './actions.ts';
import { BulkDialog } from './dialog.tsx';

type User = Schemas['User'];

interface BulkProps {
  readonly users: readonly User[];
  /** Called with those to whom something was not done. */
  readonly finish: (left: readonly User[]) => void;
  readonly clear: () => void;
}

/** What can be done to the users who are chosen. */
export function Bulk({ users, finish, clear }: BulkProps) {
  const [action, setAction] = useState<BulkAction | null>(null);
  useEffect(() => () => queueMicrotask(keepFocus), []);
  return (
    <section class="bulk" aria-label="Chosen users">
      <p role="status">{counted(users.length, 'user')} chosen</p>
      <div class="actions">
        {bulkActions
          .filter(({ scopes }) => may(...scopes))
          .map((one) => (
            <button
              key={one.label}
              type="button"
              class={one.isLoss ? 'danger-quiet' : undefined}
              onClick={() => setAction(one)}
            >
              {one.label}
            </button>
          ))}
        <button type="button" class="plain" onClick={clear}>
          Choose nobody
        </button>
      </div>
      {action && <BulkDialog action={action} users={users} finish={finish} close={() => setAction(null)} />}
    </section>
  );
}

/** The button that was pressed last has gone with the others. */
function keepFocus(): void {
  if (document.activeElement === document.body) document.querySelector<HTMLElement>('main h1')?.focus();
}

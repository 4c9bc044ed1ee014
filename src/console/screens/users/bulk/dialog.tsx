import { useEffect, useRef, useState } from 'preact/hooks';
import type { Schemas } from '../../../api/contract.ts';
import { counted } from '../../../parts/counted.ts';
import { Dialog } from '../../../parts/dialog.tsx';
import { say } from '../../../parts/notices.tsx';
import { Progress } from '../../../parts/progress.tsx';
import type { BulkAction } from './actions.ts';
import { ChooseRole, Left, Who } from './parts.tsx';
import { type Run, runFor } from './run.ts';

type User = Schemas['User'];

interface BulkDialogProps {
  readonly action: BulkAction;
  readonly users: readonly User[];
  readonly finish: (left: readonly User[]) => void;
  readonly close: () => void;
}

/** Asks, does it to one user after the other, and says for whom it was refused. */
export function BulkDialog({ action, users: chosen, finish, close }: BulkDialogProps) {
  /** Those who were chosen when it was opened, less those to whom it was done. */
  const [users, setUsers] = useState(chosen);
  const [roleId, setRoleId] = useState('');
  const [typed, setTyped] = useState('');
  const [run, setRun] = useState<Run | null>(null);
  const stop = useRef(new AbortController());
  useEffect(() => () => stop.current.abort(), []);
  const begin = async (event: Event) => {
    event.preventDefault();
    stop.current = new AbortController();
    setTyped('');
    const over = await runFor(users, (user) => action.act(user, Number(roleId)), setRun, stop.current.signal);
    setRun(over);
    setUsers(over.left);
    if (over.done > 0) say(`${counted(over.done, 'user')} ${over.done === 1 ? 'was' : 'were'} ${action.done}.`);
    if (over.left.length === 0) close();
    finish(over.left);
  };
  const wanted = counted(users.length, 'user');
  const isReady = (!action.takesRole || roleId !== '') && (!action.isTyped || typed === wanted);
  const isRunning = run !== null && !run.isOver;
  return (
    <Dialog title={`${action.label}: ${wanted}`} close={close}>
      <form class="stack" onSubmit={begin}>
        {run?.isOver ? <Left run={run} /> : <Who users={users} words={action.words} />}
        {action.takesRole && <ChooseRole value={roleId} isFixed={run !== null} choose={setRoleId} />}
        {action.isTyped && !isRunning && (
          <label class="field">
            <span>
              Type <strong>{wanted}</strong> to confirm
            </span>
            <input
              value={typed}
              autocomplete="off"
              spellcheck={false}
              onInput={(event) => setTyped(event.currentTarget.value)}
            />
          </label>
        )}
        {isRunning && <Progress label={action.label} done={run.done + run.failed.length} total={run.count} />}
        <div class="actions">
          <button type="submit" class={action.isLoss ? 'danger' : 'primary'} disabled={!isReady || isRunning}>
            {run?.isOver ? 'Try again' : action.label}
          </button>
          {isRunning ? (
            <button type="button" onClick={() => stop.current.abort()}>
              Stop
            </button>
          ) : (
            <button type="button" onClick={close}>
              {run?.isOver ? 'Close' : 'Cancel'}
            </button>
          )}
        </div>
      </form>
    </Dialog>
  );
}

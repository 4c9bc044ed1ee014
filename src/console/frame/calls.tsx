import { calls } from '../api/calls.ts';
import { copy } from '../parts/notices.tsx';
import { useStored } from '../parts/stored.ts';

/** The newest calls of the page, each as a command for a terminal. */
export function Calls() {
  const made = useStored(calls);
  return (
    <details class="calls">
      <summary>Calls of this page ({made.length})</summary>
      <p class="quiet">
        The console does nothing that a script cannot. Each command expects a token of the management API in{' '}
        <code>$TOKEN</code>.
      </p>
      <ol>
        {made.map(({ id, method, address, curl }) => (
          <li key={id}>
            <code>
              {method} {address}
            </code>
            <button type="button" class="plain" onClick={() => void copy(curl, 'The command')}>
              Copy as curl
            </button>
          </li>
        ))}
      </ol>
    </details>
  );
}

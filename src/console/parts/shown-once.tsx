import { Dialog } from './dialog.tsx';
import { copy } from './notices.tsx';

export interface ShownOnceProps {
  readonly title: string;
  readonly values: readonly (readonly [label: string, value: string])[];
  readonly close: () => void;
}

/** A secret that the service does not tell again. */
export function ShownOnce({ title, values, close }: ShownOnceProps) {
  return (
    <Dialog title={title} close={close}>
      <div class="stack">
        <p>Keep this now: it cannot be shown again.</p>
        <dl class="once">
          {values.map(([label, value]) => (
            <div key={label}>
              <dt>{label}</dt>
              <dd>
                <code>{value}</code>
                <button type="button" class="plain" onClick={() => void copy(value, label)}>
                  Copy
                </button>
              </dd>
            </div>
          ))}
        </dl>
        <div class="actions">
          <button type="button" class="primary" onClick={close}>
            I have kept it
          </button>
        </div>
      </div>
    </Dialog>
  );
}

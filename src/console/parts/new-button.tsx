import { useState } from 'preact/hooks';
import { Dialog } from './dialog.tsx';
import { EditForm } from './edit-form.tsx';
import type { FieldShape } from './field.tsx';

export interface NewButtonProps {
  readonly label: string;
  /** Of the form, where several such buttons stand below each other; the label unless said. */
  readonly title?: string;
  readonly fields: readonly FieldShape[];
  readonly done: string;
  /** What the fields show at first. */
  readonly value?: unknown;
  /** What to know before; nothing unless said. */
  readonly words?: string;
  /** The label of the button that does it; `Create` unless said. */
  readonly verb?: string;
  /** Whether the button is one beside others. */
  readonly isPlain?: boolean;
  readonly create: (body: Record<string, unknown>) => Promise<unknown>;
}

/** A button that opens the form of something new. */
export function NewButton(props: NewButtonProps) {
  const { label, title = label, fields, done, value, words, verb = 'Create', isPlain, create } = props;
  const [isOpen, setIsOpen] = useState(false);
  const close = () => setIsOpen(false);
  return (
    <>
      <button
        type="button"
        class={isPlain ? undefined : 'primary'}
        aria-label={title === label ? undefined : title}
        onClick={() => setIsOpen(true)}
      >
        {label}
      </button>
      {isOpen && (
        <Dialog title={title} close={close}>
          <div class="stack">
            {words && <p>{words}</p>}
            <EditForm
              fields={fields}
              value={value}
              canWrite
              verb={verb}
              done={done}
              save={async (body) => {
                await create(body);
                close();
              }}
            />
          </div>
        </Dialog>
      )}
    </>
  );
}

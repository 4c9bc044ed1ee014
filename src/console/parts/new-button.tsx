import { useState } from 'preact/hooks';
import { Dialog } from './dialog.tsx';
import { EditForm } from './edit-form.tsx';
import type { FieldShape } from './field.tsx';

export interface NewButtonProps {
  readonly label: string;
  /** Of the form; the label unless said, which suffices where the button stands alone. */
  readonly title?: string;
  readonly verb?: string;
  /** It is one of many. */
  readonly isQuiet?: boolean;
  readonly fields: readonly FieldShape[];
  readonly done: string;
  /** What the fields show at first. */
  readonly value?: unknown;
  readonly create: (body: Record<string, unknown>) => Promise<unknown>;
}

/** A button that opens the form of something new. */
export function NewButton(props: NewButtonProps) {
  const { label, title = label, verb = 'Create', isQuiet = false, fields, done, value, create } = props;
  const [isOpen, setIsOpen] = useState(false);
  const close = () => setIsOpen(false);
  return (
    <>
      <button
        type="button"
        class={isQuiet ? undefined : 'primary'}
        aria-label={title === label ? undefined : title}
        onClick={() => setIsOpen(true)}
      >
        {label}
      </button>
      {isOpen && (
        <Dialog title={title} close={close}>
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
        </Dialog>
      )}
    </>
  );
}

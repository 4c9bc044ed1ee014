import { useState } from 'preact/hooks';
import { Dialog } from './dialog.tsx';
import { EditForm } from './edit-form.tsx';
import type { FieldShape } from './field.tsx';

export interface NewButtonProps {
  readonly label: string;
  readonly fields: readonly FieldShape[];
  readonly done: string;
  /** What the fields show at first. */
  readonly value?: unknown;
  readonly create: (body: Record<string, unknown>) => Promise<unknown>;
}

/** A button that opens the form of something new. */
export function NewButton({ label, fields, done, value, create }: NewButtonProps) {
  const [isOpen, setIsOpen] = useState(false);
  const close = () => setIsOpen(false);
  return (
    <>
      <button type="button" class="primary" onClick={() => setIsOpen(true)}>
        {label}
      </button>
      {isOpen && (
        <Dialog title={label} close={close}>
          <EditForm
            fields={fields}
            value={value}
            canWrite
            verb="Create"
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

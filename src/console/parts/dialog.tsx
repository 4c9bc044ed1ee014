import type { ComponentChildren } from 'preact';
import { useEffect, useId, useRef, useState } from 'preact/hooks';
import { ProblemNote } from './screen.tsx';
import { useSending } from './use-sending.ts';

export interface DialogProps {
  readonly title: string;
  readonly close: () => void;
  readonly children: ComponentChildren;
}

/** The browser's own modal dialog keeps the focus in it, and gives it back. */
export function Dialog({ title, close, children }: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const id = useId();
  useEffect(() => {
    const before = document.activeElement;
    dialog.current?.showModal();
    // Without this the button that closes it would have the focus.
    dialog.current?.querySelector<HTMLElement>(':is(input, select, textarea, button):not(header *)')?.focus();
    return () => {
      if (before instanceof HTMLElement) before.focus();
    };
  }, []);
  return (
    <dialog
      ref={dialog}
      aria-labelledby={id}
      onCancel={(event) => {
        event.preventDefault();
        close();
      }}
      onClose={close}
    >
      <header class="section-head">
        <h2 id={id}>{title}</h2>
        <button type="button" class="plain" aria-label="Close" onClick={close}>
          ×
        </button>
      </header>
      {children}
    </dialog>
  );
}

interface ConfirmProps {
  readonly title: string;
  /** What happens, and what cannot be undone. */
  readonly words: string;
  /** The label of the button that does it. */
  readonly verb: string;
  /** What has to be typed first, for what cannot be undone. */
  readonly typed?: string;
  /** Whether something is lost; true unless said. */
  readonly isLoss?: boolean;
  readonly act: () => Promise<unknown>;
  readonly close: () => void;
}

function Confirm({ title, words, verb, typed, isLoss = true, act, close }: ConfirmProps) {
  const [text, setText] = useState('');
  const { problem, isBusy, send } = useSending();
  const run = (event: Event) => {
    event.preventDefault();
    void send(async () => {
      await act();
      close();
    });
  };
  return (
    <Dialog title={title} close={close}>
      <form class="stack" onSubmit={run}>
        {problem && <ProblemNote problem={problem} />}
        <p>{words}</p>
        {typed !== undefined && (
          <label class="field">
            <span>
              Type <strong>{typed}</strong> to confirm
            </span>
            <input value={text} autocomplete="off" spellcheck={false} onInput={(e) => setText(e.currentTarget.value)} />
          </label>
        )}
        <div class="actions">
          <button
            type="submit"
            class={isLoss ? 'danger' : 'primary'}
            disabled={isBusy || (typed !== undefined && text !== typed)}
          >
            {verb}
          </button>
          <button type="button" onClick={close}>
            Cancel
          </button>
        </div>
      </form>
    </Dialog>
  );
}

/** A button that asks before it acts. */
export interface ConfirmButtonProps extends Omit<ConfirmProps, 'close'> {
  readonly label: string;
  /** What it concerns, where several such buttons stand below each other. */
  readonly of?: string;
}

export function ConfirmButton({ label, of, ...props }: ConfirmButtonProps) {
  const [isOpen, setIsOpen] = useState(false);
  return (
    <>
      <button
        type="button"
        class={props.isLoss === false ? undefined : 'danger-quiet'}
        aria-label={of === undefined ? undefined : `${label} ${of}`}
        onClick={() => setIsOpen(true)}
      >
        {label}
      </button>
      {isOpen && <Confirm {...props} close={() => setIsOpen(false)} />}
    </>
  );
}

import { stored, useStored } from './stored.ts';

const notice = stored<{ readonly text: string; readonly turn: number }>({ text: '', turn: 0 });

/** Says that something was done: shown at the end of the page, and read out. */
export function say(text: string): void {
  notice.set({ text, turn: notice.get().turn + 1 });
}

export function Notices() {
  const { text, turn } = useStored(notice);
  return (
    <div class="notices" role="status" aria-live="polite">
      {text && (
        <p key={turn}>
          <span>{text}</span>
          <button type="button" class="plain" aria-label="Dismiss this message" onClick={() => say('')}>
            ×
          </button>
        </p>
      )}
    </div>
  );
}

export async function copy(text: string, what: string): Promise<void> {
  const done = await navigator.clipboard.writeText(text).then(
    () => true,
    () => false,
  );
  say(done ? `${what} copied.` : `${what} could not be copied; the browser does not allow it.`);
}

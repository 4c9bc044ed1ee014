export interface ProgressProps {
  /** What goes on. */
  readonly label: string;
  readonly done: number;
  /** Null while nobody knows. */
  readonly total: number | null;
}

/** How far something is that takes a while. */
export function Progress({ label, done, total }: ProgressProps) {
  return (
    <div class="progress">
      <progress
        aria-label={label}
        max={total ?? undefined}
        value={total === null ? undefined : Math.min(done, total)}
      />
      <p>
        {done.toLocaleString('en')}
        {total !== null && ` of ${total.toLocaleString('en')}`}
      </p>
    </div>
  );
}

export interface ProgressProps {
  /** What goes on. */
  readonly label: string;
  readonly done: number;
  /** Null while nobody knows. */
  readonly total: number | null;
  /** What is counted, where it is not what the label names. */
  readonly unit?: string;
}

/** How far something is. It is seen after 300 ms: what is done by then needs none. */
export function Progress({ label, done, total, unit }: ProgressProps) {
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
        {unit !== undefined && ` ${unit}`}
      </p>
    </div>
  );
}

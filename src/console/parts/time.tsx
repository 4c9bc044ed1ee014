const written = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' });
const writtenExactly = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'medium' });

/** As people here write it; what is no time stays as it is. */
export function writtenTime(at: string, format: Intl.DateTimeFormat = written): string {
  const time = new Date(at);
  return Number.isNaN(time.getTime()) ? at : format.format(time);
}

export interface TimeProps {
  readonly at: string | null | undefined;
  readonly none?: string;
  /** Says the seconds, too. */
  readonly isExact?: boolean;
}

/** A time of the API, as people here write it. */
export function Time({ at, none = '–', isExact = false }: TimeProps) {
  if (!at) return <span class="quiet">{none}</span>;
  return (
    <time dateTime={at} title={at}>
      {writtenTime(at, isExact ? writtenExactly : written)}
    </time>
  );
}

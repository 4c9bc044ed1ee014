const written = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' });

/** A time of the API, as people here write it. */
export function Time({ at, none = '–' }: { readonly at: string | null | undefined; readonly none?: string }) {
  if (!at) return <span class="quiet">{none}</span>;
  return (
    <time dateTime={at} title={at}>
      {written.format(new Date(at))}
    </time>
  );
}

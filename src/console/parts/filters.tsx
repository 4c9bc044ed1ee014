import { useId, useState } from 'preact/hooks';
import { setQuery } from '../routing/address.ts';

export interface FilterShape {
  /** The parameter of the list, and of the address bar. */
  readonly name: string;
  readonly label: string;
  readonly options?: readonly (readonly [value: string, words: string])[];
}

export interface FiltersProps {
  readonly filters: readonly FilterShape[];
  readonly query: URLSearchParams;
}

/** What a list is narrowed to, as chips, and a form for one more. */
export function Filters({ filters, query }: FiltersProps) {
  const [name, setName] = useState('');
  const [value, setValue] = useState('');
  const id = useId();
  const open = filters.filter((filter) => !query.has(filter.name));
  const chosen = open.find((filter) => filter.name === name);
  const add = (event: Event) => {
    event.preventDefault();
    if (!chosen || value === '') return;
    setQuery({ [chosen.name]: value });
    setName('');
    setValue('');
  };
  return (
    <form class="filters" onSubmit={add} aria-label="Filters">
      {filters.map((filter) => {
        const present = query.get(filter.name);
        if (present === null) return null;
        const words = filter.options?.find(([known]) => known === present)?.[1] ?? present;
        return (
          <button
            key={filter.name}
            type="button"
            class="chip"
            aria-label={`Remove the filter ${filter.label}: ${words}`}
            onClick={() => setQuery({ [filter.name]: '' })}
          >
            {filter.label}: <bdi>{words}</bdi> <span aria-hidden="true">×</span>
          </button>
        );
      })}
      {open.length > 0 && (
        <select
          aria-label="Add a filter"
          value={name}
          onChange={(event) => {
            setName(event.currentTarget.value);
            setValue('');
          }}
        >
          <option value="">Add a filter…</option>
          {open.map((filter) => (
            <option key={filter.name} value={filter.name}>
              {filter.label}
            </option>
          ))}
        </select>
      )}
      {chosen?.options && (
        <select aria-label={chosen.label} value="" onChange={(e) => setQuery({ [chosen.name]: e.currentTarget.value })}>
          <option value="">Choose…</option>
          {chosen.options.map(([known, words]) => (
            <option key={known} value={known}>
              {words}
            </option>
          ))}
        </select>
      )}
      {chosen && !chosen.options && (
        <>
          <label class="unseen" for={id}>
            {chosen.label}
          </label>
          <input id={id} value={value} autocomplete="off" onInput={(event) => setValue(event.currentTarget.value)} />
          <button type="submit">Add</button>
        </>
      )}
    </form>
  );
}

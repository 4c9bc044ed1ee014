import type { ComponentType } from 'preact';
import { useId, useState } from 'preact/hooks';
import { setQuery } from '../routing/address.ts';
import { writtenTime } from './time.tsx';

export interface PickerProps {
  readonly choose: (value: string) => void;
  readonly close: () => void;
}

export interface FilterShape {
  /** The parameter of the list, and of the address bar. */
  readonly name: string;
  readonly label: string;
  readonly options?: readonly (readonly [value: string, words: string])[];
  /** A moment: chosen in the time of the reader, and kept as the API writes it. */
  readonly isTime?: boolean;
  /** A dialog that finds the value. */
  readonly picker?: ComponentType<PickerProps>;
  /** What the chip says of a value that has no option. */
  readonly wordsOf?: (value: string) => string;
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
    setQuery({ [chosen.name]: chosen.isTime ? new Date(value).toISOString() : value });
    setName('');
    setValue('');
  };
  return (
    <form class="filters" onSubmit={add} aria-label="Filters">
      {filters.map((filter) => {
        const present = query.get(filter.name);
        if (present === null) return null;
        const words = wordsOf(filter, present);
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
      {chosen?.picker && (
        <chosen.picker
          choose={(picked) => {
            setQuery({ [chosen.name]: picked });
            setName('');
          }}
          close={() => setName('')}
        />
      )}
      {chosen && !chosen.options && !chosen.picker && (
        <>
          <label class="unseen" for={id}>
            {chosen.label}
          </label>
          <input
            id={id}
            type={chosen.isTime ? 'datetime-local' : 'text'}
            value={value}
            autocomplete="off"
            onInput={(event) => setValue(event.currentTarget.value)}
          />
          <button type="submit">Add</button>
        </>
      )}
    </form>
  );
}

function wordsOf({ options, isTime, wordsOf: said }: FilterShape, value: string): string {
  const known = options?.find(([one]) => one === value)?.[1];
  return known ?? said?.(value) ?? (isTime ? writtenTime(value) : value);
}

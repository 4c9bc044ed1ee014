import { useEffect, useRef, useState } from 'preact/hooks';
import { setQuery } from '../routing/address.ts';

export interface SearchProps {
  readonly label: string;
  readonly hint: string;
  /** What the address bar says. */
  readonly text: string;
}

const pauseMilliseconds = 200;

/** Asks when the typing pauses, and keeps the text in the address bar as `q`. */
export function Search({ label, hint, text }: SearchProps) {
  const [typed, setTyped] = useState(text);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => setTyped(text), [text]);
  useEffect(() => () => clearTimeout(timer.current), []);
  return (
    <search class="search">
      <input
        type="search"
        aria-label={label}
        placeholder={`${hint} ( / )`}
        autocomplete="off"
        spellcheck={false}
        value={typed}
        onInput={({ currentTarget: { value } }) => {
          setTyped(value);
          clearTimeout(timer.current);
          timer.current = setTimeout(() => setQuery({ q: value.trim() }, 'replace'), pauseMilliseconds);
        }}
      />
    </search>
  );
}

/** A pattern of texts that begin with what was typed. */
export function beginningWith(text: string | null): string | undefined {
  const plain = text?.replaceAll('*', '').trim();
  return plain ? `${plain}*` : undefined;
}

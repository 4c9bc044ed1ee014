import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import type { Problem } from '../api/problem.ts';

export interface ScreenProps {
  readonly title: string;
  /** What the title belongs to, and where that is. */
  readonly above?: { readonly title: string; readonly href: string };
  readonly actions?: ComponentChildren;
  readonly children: ComponentChildren;
}

let isFirst = true;

/** A screen has one heading, which gets the focus where somebody came from another screen. */
export function Screen({ title, above, actions, children }: ScreenProps) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    document.title = `${title} – Gatehouse console`;
  }, [title]);
  useEffect(() => {
    if (!isFirst && !document.querySelector('dialog[open]')) heading.current?.focus();
    isFirst = false;
  }, []);
  return (
    <>
      <header class="screen-head">
        <div>
          {above && (
            <p class="above">
              <a href={above.href}>{above.title}</a>
            </p>
          )}
          <h1 ref={heading} tabIndex={-1}>
            <bdi>{title}</bdi>
          </h1>
        </div>
        {actions && <div class="actions">{actions}</div>}
      </header>
      {children}
    </>
  );
}

interface SectionProps extends Omit<ScreenProps, 'above'> {
  /** Where sections stand in columns, it has all of them. */
  readonly isWide?: boolean;
}

export function Section({ title, actions, isWide = false, children }: SectionProps) {
  return (
    <section class={isWide ? 'card wide' : 'card'} aria-label={title}>
      <header class="section-head">
        <h2>{title}</h2>
        {actions && <div class="actions">{actions}</div>}
      </header>
      {children}
    </section>
  );
}

/** Seen after 300 ms alone: most answers are there before. */
export function Waiting() {
  return (
    <p class="waiting" role="status">
      <span class="spinner" aria-hidden="true" />
      Loading…
    </p>
  );
}

export function ProblemNote({ problem, again }: { readonly problem: Problem; readonly again?: () => void }) {
  return (
    <div class="alert" role="alert">
      <p>{problem.message}</p>
      {again && (
        <button type="button" class="plain" onClick={again}>
          Try again
        </button>
      )}
    </div>
  );
}

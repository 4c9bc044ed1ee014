import type { ComponentChildren } from 'preact';
import type { Answer } from '../api/api.ts';
import type { Asked } from '../api/use-answer.ts';
import { ProblemNote, Screen, type ScreenProps, Waiting } from './screen.tsx';

export interface DetailProps<Data> extends Pick<ScreenProps, 'title' | 'above'> {
  readonly asked: Asked<Data>;
  readonly children: (answer: Answer<Data>) => ComponentChildren;
}

/** A screen of one thing, which has a title of its own once it is there. */
export function Detail<Data>({ title, above, asked: { answer, problem, again }, children }: DetailProps<Data>) {
  if (answer) return <>{children(answer)}</>;
  return (
    <Screen title={title} above={above}>
      {problem ? <ProblemNote problem={problem} again={() => void again()} /> : <Waiting />}
    </Screen>
  );
}

export function Fact({ title, children }: { readonly title: string; readonly children: ComponentChildren }) {
  return (
    <div>
      <dt>{title}</dt>
      <dd>{children}</dd>
    </div>
  );
}

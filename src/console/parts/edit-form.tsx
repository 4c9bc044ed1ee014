import { useEffect, useRef, useState } from 'preact/hooks';
import { fieldIn } from '../api/problem.ts';
import { Field, type FieldShape } from './field.tsx';
import { FormProblem } from './form-problem.tsx';
import { bodyOf, isSame, memberOf, type Values } from './members.ts';
import { say } from './notices.tsx';
import { useSending } from './use-sending.ts';

export interface EditFormProps {
  readonly fields: readonly FieldShape[];
  /** What is stored; nothing for something new. */
  readonly value: unknown;
  readonly canWrite: boolean;
  /** The label of the button. */
  readonly verb: string;
  /** Said when it was done. */
  readonly done: string;
  /** Sends a body of the changed members; `value` is new afterwards. */
  readonly save: (body: Record<string, unknown>) => Promise<unknown>;
  /** Reads what is stored again. */
  readonly again?: () => Promise<void>;
}

/** Shows members, and sends those that were changed. What others changed meanwhile is told, and nothing typed is lost. */
export function EditForm({ fields, value, canWrite, verb, done, save, again }: EditFormProps) {
  const [changes, setChanges] = useState<Values>({});
  const { problem, isBusy, send, drop } = useSending();
  /** What was stored when the first of the changes was typed. */
  const [base, setBase] = useState<unknown>(value);
  const form = useRef<HTMLFormElement>(null);
  const isChanged = Object.keys(changes).length > 0;
  useEffect(() => {
    if (!isChanged) setBase(value);
  }, [value, isChanged]);
  const about = problem && [400, 422].includes(problem.status) ? fieldIn(problem.message, namesOf(fields)) : null;
  useEffect(() => {
    const field = about === null ? null : form.current?.elements.namedItem(about);
    if (field instanceof HTMLElement) field.focus();
  }, [problem, about]);
  const change = (name: string, next: unknown) => {
    const { [name]: _, ...others } = changes;
    setChanges(isSame(next, memberOf(base, name) ?? null) ? others : { ...others, [name]: next });
  };
  const submit = (event: Event) => {
    event.preventDefault();
    void send(async () => {
      await save(bodyOf(changes));
      setChanges({});
      say(done);
    });
  };
  // What is sent while it is being read must not be dropped afterwards.
  const reading = () => {
    drop();
    void again?.();
  };
  const others = ({ name }: FieldShape) => {
    const now = memberOf(value, name);
    return isChanged && !isSame(now, memberOf(base, name)) ? String(now ?? 'nothing') : undefined;
  };
  return (
    <form ref={form} class="stack" noValidate onSubmit={submit} aria-busy={isBusy}>
      {problem && about === null && <FormProblem problem={problem} again={again && reading} />}
      <div class="fields">
        {fields.map((field) => (
          <Field
            key={field.name}
            field={field}
            canWrite={canWrite}
            value={field.name in changes ? changes[field.name] : memberOf(value, field.name)}
            problem={about === field.name ? problem?.message : undefined}
            others={others(field)}
            change={(next) => change(field.name, next)}
          />
        ))}
      </div>
      {canWrite && (
        <div class="actions">
          <button type="submit" class="primary" disabled={isBusy || !isChanged}>
            {verb}
          </button>
          {isChanged && value !== undefined && (
            <button type="button" onClick={() => setChanges({})}>
              Discard changes
            </button>
          )}
        </div>
      )}
    </form>
  );
}

const namesOf = (fields: readonly FieldShape[]) => fields.map(({ name }) => name);

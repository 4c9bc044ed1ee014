import { api } from '../../api/api.ts';
import { fieldIn } from '../../api/problem.ts';
import { useAnswer } from '../../api/use-answer.ts';
import { Field } from '../../parts/field.tsx';
import { FormProblem } from '../../parts/form-problem.tsx';
import { memberOf } from '../../parts/members.ts';
import { Section } from '../../parts/screen.tsx';
import { useSending } from '../../parts/use-sending.ts';
import { Code } from './code.tsx';
import { type Definition, definitionFields, packagesOf } from './definition.ts';
import { faultIn } from './text.ts';
import { TrialPanel } from './trial.tsx';
import { useTrial } from './use-trial.ts';
import type { Work } from './work.ts';

export interface WorkbenchProps {
  readonly work: Work;
  /** Nothing for a hook that is not there yet. */
  readonly hookId: string | null;
  /** The recorded run that is replayed first. */
  readonly run?: string | null;
  /** The label of the button. */
  readonly verb: string;
  readonly save: (definition: Definition) => Promise<void>;
  /** Keeps the function without making it live. */
  readonly saveDraft?: ((definition: Definition) => Promise<void>) | undefined;
  /** Reads what is stored again. */
  readonly again?: () => Promise<void>;
}

/** A function, its test run beside it, and what else belongs to the hook. */
export function Workbench({ work, hookId, run = null, verb, save, saveDraft, again }: WorkbenchProps) {
  const { value, isChanged, change, discard, others } = work;
  const variables = useAnswer(() => api.get('/api/2/hooks/envs', { query: { limit: 100 } }), []);
  const names = (variables.answer?.data ?? []).map(({ name }) => name);
  const fields = definitionFields(names, value.type);
  const trial = useTrial(value, hookId, run);
  const { problem, isBusy, send, drop } = useSending();
  const refused = problem && [400, 422].includes(problem.status) ? problem.message : null;
  const about = refused === null ? null : fieldIn(refused, ['function', ...fields.map(({ name }) => name)]);
  const isNew = hookId === null;
  const store = () => {
    if (isNew || isChanged) void send(() => save(value));
  };
  // What is sent while it is being read must not be dropped afterwards.
  const reading = () => {
    drop();
    void again?.();
  };
  const packages = Object.keys(packagesOf(value.packages));
  return (
    <div class="stack" aria-busy={isBusy}>
      {problem && about === null && <FormProblem problem={problem} again={again && reading} />}
      <div class="bench">
        <Section
          title="Function"
          actions={
            <>
              <button type="button" class="primary" disabled={isBusy || !(isNew || isChanged)} onClick={store}>
                {verb}
              </button>
              {saveDraft && (
                <button type="button" disabled={isBusy} onClick={() => void send(() => saveDraft(value))}>
                  Save as draft
                </button>
              )}
              {isChanged && !isNew && (
                <button type="button" onClick={discard}>
                  Discard changes
                </button>
              )}
            </>
          }
        >
          {about === 'function' && (
            <p class="field-problem" role="alert">
              {problem?.message}
            </p>
          )}
          {others('code') && (
            <p class="field-others">
              Somebody else changed the function meanwhile: compare the versions before you save.
            </p>
          )}
          <Code
            label="Function"
            text={value.code}
            known={{ type: value.type, version: String(value.context_version), variables: value.env_vars, packages }}
            fault={about === 'function' && refused !== null ? faultIn(refused) : null}
            change={(code) => change('code', code)}
            save={store}
            run={() => void trial.run()}
          />
          <p class="quiet keys">
            <kbd>Ctrl Space</kbd> completes, <kbd>Ctrl Enter</kbd> tests, <kbd>Ctrl S</kbd> saves.
          </p>
        </Section>
        <TrialPanel trial={trial} />
      </div>
      <Section title="How it runs">
        <div class="fields">
          {fields.map((field) => (
            <Field
              key={field.name}
              field={field}
              canWrite
              value={memberOf(value, field.name)}
              problem={about === field.name ? problem?.message : undefined}
              others={others(field.name)}
              change={(next) => change(field.name, next)}
            />
          ))}
        </div>
      </Section>
    </div>
  );
}

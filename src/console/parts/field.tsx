import { useId } from 'preact/hooks';

export interface FieldShape {
  /** Path of the member. */
  readonly name: string;
  readonly label: string;
  readonly kind: 'text' | 'number' | 'lines' | 'yes' | 'choice' | 'many' | 'secret';
  readonly help?: string;
  /** Values and their words, for `choice` and `many`. */
  readonly options?: readonly (readonly [value: string | number | null, words: string])[];
  /** What an empty field means to the surface; null unless said. */
  readonly empty?: string | number | null;
  readonly readOnly?: boolean;
}

export interface FieldProps {
  readonly field: FieldShape;
  readonly value: unknown;
  readonly problem?: string | undefined;
  /** What somebody else made of it meanwhile. */
  readonly others?: string | undefined;
  readonly canWrite: boolean;
  readonly change: (value: unknown) => void;
}

const textOf = (value: unknown) => (value === null || value === undefined ? '' : String(value));

export function Field({ field, value, problem, others, canWrite, change }: FieldProps) {
  const id = useId();
  const notes = [field.help && `${id}-help`, problem && `${id}-problem`, others && `${id}-others`].filter(Boolean);
  const common = {
    id,
    name: field.name,
    'aria-describedby': notes.join(' ') || undefined,
    'aria-invalid': problem ? true : undefined,
  } as const;
  const isFixed = !canWrite || field.readOnly === true;
  return (
    <div class={`field kind-${field.kind}`}>
      {field.kind !== 'many' && <label for={id}>{field.label}</label>}
      <Input {...{ field, value, change, isFixed, common }} />
      {field.help && (
        <p class="help" id={`${id}-help`}>
          {field.help}
        </p>
      )}
      {problem && (
        <p class="field-problem" id={`${id}-problem`}>
          {problem}
        </p>
      )}
      {others && (
        <p class="field-others" id={`${id}-others`}>
          Changed meanwhile to: <bdi>{others}</bdi>
        </p>
      )}
    </div>
  );
}

interface InputProps extends Pick<FieldProps, 'field' | 'value' | 'change'> {
  readonly isFixed: boolean;
  readonly common: { readonly id: string; readonly name: string };
}

function Input({ field, value, change, isFixed, common }: InputProps) {
  const empty = field.empty ?? null;
  const typed = {
    readOnly: isFixed,
    value: textOf(value),
    onInput: (event: { readonly currentTarget: HTMLInputElement }) =>
      change(readText(field, event.currentTarget.value, empty)),
  };
  switch (field.kind) {
    case 'yes':
      return (
        <input
          {...common}
          type="checkbox"
          checked={value === true}
          disabled={isFixed}
          onChange={(event) => change(event.currentTarget.checked)}
        />
      );
    case 'choice':
      return (
        <select
          {...common}
          disabled={isFixed}
          value={textOf(value)}
          onChange={({ currentTarget }) => {
            const chosen = field.options?.find(([known]) => textOf(known) === currentTarget.value);
            change(chosen ? chosen[0] : empty);
          }}
        >
          {field.options?.map(([known, words]) => (
            <option key={textOf(known)} value={textOf(known)}>
              {words}
            </option>
          ))}
        </select>
      );
    case 'many':
      return <Many {...{ field, value, change, isFixed, common }} />;
    case 'lines':
      return (
        <textarea
          {...common}
          rows={4}
          spellcheck={false}
          readOnly={isFixed}
          value={textOf(value)}
          onInput={(event) => change(event.currentTarget.value)}
        />
      );
    case 'secret':
      return <input {...common} {...typed} type="password" autocomplete="new-password" />;
    default:
      return (
        <input {...common} {...typed} inputMode={field.kind === 'number' ? 'numeric' : 'text'} autocomplete="off" />
      );
  }
}

/** What is no number is sent as it was typed: the surface says what is wrong with it. */
function readText({ kind }: FieldShape, text: string, empty: string | number | null): unknown {
  if (text.trim() === '') return empty;
  return kind === 'number' && /^-?\d+$/.test(text.trim()) ? Number(text) : text;
}

function Many({ field, value, change, isFixed, common }: InputProps) {
  const chosen = Array.isArray(value) ? (value as readonly unknown[]) : [];
  return (
    <fieldset class="many">
      <legend>{field.label}</legend>
      {field.options?.map(([known, words]) => (
        <label key={known}>
          <input
            type="checkbox"
            name={common.name}
            disabled={isFixed}
            checked={chosen.includes(known)}
            onChange={(event) =>
              change(event.currentTarget.checked ? [...chosen, known] : chosen.filter((one) => one !== known))
            }
          />
          <bdi>{words}</bdi>
        </label>
      ))}
      {field.options?.length === 0 && <p class="quiet">There is nothing to choose yet.</p>}
    </fieldset>
  );
}

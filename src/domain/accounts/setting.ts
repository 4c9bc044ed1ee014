/** What a setting of an account is, and the kinds of values that settings have. */

/** What the values of a setting are, for programs: the words for people are in `allowed`. */
type SettingForm =
  | { readonly kind: 'choice'; readonly values: readonly string[] }
  | { readonly kind: 'whole_number'; readonly least: number; readonly most: number }
  | { readonly kind: 'limit' | 'role_names' | 'text' };

/** A setting of an account, as written on the command line and stored. */
export interface Setting<Value> {
  /** What it does, worded for the tables of settings. */
  readonly meaning: string;
  /** The default, as text. */
  readonly fallback: string;
  /** The allowed values, worded for the message. */
  readonly allowed: string;
  readonly form: SettingForm;
  /** The parsed value; undefined when the text is not allowed. */
  parse(text: string): Value | undefined;
  /** Whether an allowed text may be set: what was stored before there was a bound is read all the same. Default: yes. */
  isWithinBounds?(value: Value): boolean;
}

/** In words. `Intl.ListFormat` would take ten milliseconds of every start. */
function alternatives(values: readonly string[]): string {
  const [last = '', ...others] = values.map((value) => `\`${value}\``).reverse();
  if (others.length === 0) return last;
  return `${others.reverse().join(', ')}${others.length > 1 ? ',' : ''} or ${last}`;
}

export function oneOf<const Value extends string>(
  fallback: NoInfer<Value>,
  values: readonly Value[],
  meaning: string,
): Setting<Value> {
  return {
    meaning,
    fallback,
    allowed: alternatives(values),
    form: { kind: 'choice', values },
    parse: (text) => values.find((value) => value === text),
  };
}

export function onOff(fallback: 'on' | 'off', meaning: string): Setting<'on' | 'off'> {
  return oneOf(fallback, ['on', 'off'], meaning);
}

export function wholeNumber(fallback: number, least: number, most: number, meaning: string): Setting<number> {
  return {
    meaning,
    fallback: String(fallback),
    allowed: `a whole number from ${least} to ${most}`,
    form: { kind: 'whole_number', least, most },
    parse: (text) => {
      const value = /^\d{1,6}$/.test(text) ? Number(text) : Number.NaN;
      return value >= least && value <= most ? value : undefined;
    },
  };
}

/** Each registration looks all of them up, in a transaction that others wait for. */
const mostRoleNames = 20;

export function roleNames(meaning: string): Setting<readonly string[]> {
  return {
    meaning,
    fallback: '',
    allowed: `at most ${mostRoleNames} names of roles separated by commas`,
    form: { kind: 'role_names' },
    parse: (text) => {
      const names = text.split(',').map((name) => name.trim());
      return [...new Set(names.filter(Boolean))];
    },
    isWithinBounds: (names) => names.length <= mostRoleNames,
  };
}

/** `client`: whose app, in words. */
export function rolesOfApps(client: string): Setting<readonly string[]> {
  const made = 'an app gets them when it is made, and one that exists keeps its own (`access grant`)';
  return roleNames(`roles whose users may use the app of ${client}; ${made}`);
}

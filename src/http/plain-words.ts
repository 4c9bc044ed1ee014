/** The validator's messages in plain words. The name of the member, with where it is, stands before them. */

const types: Readonly<Record<string, string>> = {
  string: 'a string',
  integer: 'an integer',
  number: 'a number',
  boolean: 'true or false',
  array: 'an array',
  object: 'an object',
  null: 'null',
};

const things: Readonly<Record<string, string>> = { characters: 'character', items: 'item', properties: 'member' };

function alternatives(words: readonly string[]): string {
  const last = words.at(-1) ?? '';
  return words.length < 2 ? last : `${words.slice(0, -1).join(', ')} or ${last}`;
}

function counted(amount: string, thing: string): string {
  const one = things[thing] ?? thing;
  return `${amount} ${one}${amount === '1' ? '' : 's'}`;
}

type Words = readonly [message: RegExp, inPlainWords: (...found: string[]) => string];

/** What JSON Schema's validator writes (Ajv 8), keyword by keyword. */
const words: readonly Words[] = [
  [/^must have required property /, () => 'is required'],
  [/^must NOT have (?:additional|unevaluated) properties$/, () => 'is not allowed'],
  [/^must NOT have more than (\d+) (\w+)$/, (most = '', thing = '') => `must have at most ${counted(most, thing)}`],
  [/^must NOT have fewer than (\d+) (\w+)$/, (least = '', thing = '') => `must have at least ${counted(least, thing)}`],
  [/^must NOT have duplicate items /, () => 'must not have the same item twice'],
  [/^must be >= (\S+)$/, (least = '') => `must be at least ${least}`],
  [/^must be <= (\S+)$/, (most = '') => `must be at most ${most}`],
  [
    /^must be equal to one of the allowed values: (.*)$/s,
    (values = '') => `must be ${alternatives(values.split(', '))}`,
  ],
  [/^must match pattern "(.*)"$/s, (pattern = '') => `must match ${pattern}`],
  [/^must match format "(.*)"$/, (format = '') => `must have the format ${format}`],
  [
    /^must be ((?:string|integer|number|boolean|array|object|null)(?:,\w+)*)$/,
    (names = '') => `must be ${alternatives(names.split(',').map((name) => types[name] ?? name))}`,
  ],
];

/** A message of the validator; any that is not known, as it is. */
export function inPlainWords(message: string): string {
  for (const [pattern, said] of words) {
    const [whole, ...found] = pattern.exec(message) ?? [];
    if (whole !== undefined) return said(...found);
  }
  return message;
}

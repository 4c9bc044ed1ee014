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

/** The patterns that the validator checks in requests, and what is wrong with a text that does not follow one. */
export const patterns: Readonly<Record<string, string>> = {
  '^[^\\x00-\\x1F\\x7F-\\x9F]*$': 'contains a character that is not allowed',
  '^[!-~]*$': 'contains a character that is not allowed: only visible ASCII characters are',
  '^[!-~]+$': 'contains a character that is not allowed: only visible ASCII characters are',
  '^[!#-;=?-\\[\\]_a-z~]+$': 'contains a character that is not allowed in a URI',
  '^[!#-\\[\\]-~]+$': 'contains a character that is not allowed in a scope',
  '^[A-Za-z0-9]+$': 'contains a character that is not allowed: only letters and digits are',
  '^[A-Za-z0-9_-]+$': 'contains a character that is not allowed: only letters, digits, _ and - are',
  '^[A-Za-z][A-Za-z0-9_.:/~-]*$': 'must begin with a letter and have only letters, digits and _ . : / ~ - after it',
  '^[a-zA-Z_][a-zA-Z0-9_]*$': 'must begin with a letter or _ and have only letters, digits and _ after it',
  '^[0-9a-f-]{36}$': 'must have 36 characters: digits, the letters a to f, and -',
  '^[0-9A-Fa-f]{8}(-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}$':
    'must be a reference such as 9f2c1f0a-5a52-4b8e-9f0e-5b1a5c0f6c11',
  '^[0-9]+$': 'must have only digits',
  '^\\d{4}-\\d{2}-\\d{2}$': 'must be a date such as 2026-11-29',
  '^[1-9][0-9]{0,9}$': 'must be an integer above 0 without a leading zero',
  '^(6[0-9]|[7-9][0-9]|[1-8][0-9]{2}|900)$': 'must be an integer from 60 to 900',
  '^(\\*|((W/)?"[!#-~\\u0080-\\u00FF]*")?([ \\t]*,([ \\t]*(W/)?"[!#-~\\u0080-\\u00FF]*")?)*)$':
    'must be * or a list of entity tags in double quotes',
};

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
  [/^must match pattern "(.*)"$/s, (pattern = '') => patterns[pattern] ?? 'does not have the documented form'],
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

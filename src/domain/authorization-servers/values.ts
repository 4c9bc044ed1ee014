import { Failure } from '../failure.ts';
import { readText } from '../text.ts';

/** An error that names the member and the rule. */
export function invalid(name: string, rule: string): Failure {
  return new Failure('value_invalid', { name, message: `${name} ${rule}` });
}

/** An optional text; an empty one counts as left out. */
export function readDescription(text: string | null, most: number): string | null {
  return text === null || text === '' ? null : readText('description', text, most);
}

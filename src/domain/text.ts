import { Failure } from './failure.ts';
import { unprintable } from './unprintable.ts';

/** Whether a text has a character that is not allowed in stored text; PostgreSQL refuses some of them, too. */
export function hasForbiddenCharacter(text: string): boolean {
  return unprintable.test(text);
}

/**
 * Whether nothing of a text can be seen: white space, Braille's empty cell, and what Unicode leaves blank by default,
 * such as the Hangul filler (UAX #44, Default_Ignorable_Code_Point).
 */
export function isInvisible(text: string): boolean {
  return /^[\s\p{Z}\p{Default_Ignorable_Code_Point}\u2800]*$/u.test(text);
}

const spoken: Readonly<Record<string, string>> = {
  '\t': ', a tab',
  '\n': ', a line feed',
  '\r': ', a carriage return',
};

function nameOf(character: string): string {
  const code = (character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0');
  return `U+${code}${spoken[character] ?? ''}`;
}

/** Characters of a name. */
export const longestText = 255;
/** Code units that are composed to one character, at most. */
const mostUnits = 6;

/**
 * The text in NFC; null if it has more than `most` characters however it is composed. A long one is not composed: a run
 * of combining characters takes time that grows with its square.
 */
export function composed(text: string, most: number): string | null {
  return text.length > most * mostUnits ? null : text.normalize('NFC');
}

/**
 * A text for people to read, such as a name: NFC, not empty, no white space around it, at most `most` characters
 * (code points). Throws `value_invalid` naming `name`.
 */
export function readText(name: string, text: string, most = longestText): string {
  const normal = composed(text, most);
  if (normal === null) throw ofLength(name, most);
  const [forbidden] = unprintable.exec(normal) ?? [];
  if (forbidden !== undefined) {
    const message = `${name} contains a character that is not allowed (${nameOf(forbidden)})`;
    throw new Failure('value_invalid', { name, message });
  }
  if (normal !== normal.trim()) {
    throw new Failure('value_invalid', { name, message: `${name} starts or ends with white space` });
  }
  const length = [...normal].length;
  if (length < 1 || length > most) throw ofLength(name, most);
  return normal;
}

function ofLength(name: string, most: number): Failure {
  return new Failure('value_invalid', { name, message: `${name} must have 1 to ${most} characters` });
}

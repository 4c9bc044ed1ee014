import { Failure } from './failure.ts';

/**
 * Characters that no stored text may hold: control characters, which XML 1.0 §2.2 cannot carry and PostgreSQL partly
 * refuses, line separators, and the bidirectional controls that make a text read differently from what it is.
 */
const forbidden = /[\p{Cc}\p{Zl}\p{Zp}\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069]/u;

/** Whether a text holds a character that no stored text may hold. */
export function hasForbiddenCharacter(text: string): boolean {
  return !text.isWellFormed() || forbidden.test(text);
}

/**
 * A text for people to read, such as a name: NFC, not empty, no white space around it, at most `most` characters
 * (code points). Throws `value_invalid` naming `name`.
 */
export function readText(name: string, text: string, most = 255): string {
  const normal = text.normalize('NFC');
  if (hasForbiddenCharacter(normal)) {
    throw new Failure('value_invalid', { name, message: `${name} holds a character that is not allowed` });
  }
  if (normal !== normal.trim()) {
    throw new Failure('value_invalid', { name, message: `${name} starts or ends with white space` });
  }
  const length = [...normal].length;
  if (length < 1 || length > most) {
    throw new Failure('value_invalid', { name, message: `${name} must have 1 to ${most} characters` });
  }
  return normal;
}

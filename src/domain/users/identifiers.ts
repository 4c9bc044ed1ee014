/**
 * The names that users sign in with. Two texts that a person or a mail server could confuse are one identity, or one of
 * them is refused: they never belong to two users.
 */

import { Failure } from '../failure.ts';

const mostCharacters = 254;

/** Control, format, unassigned and invisible characters. */
const invisible = /[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/u;
/** RFC 5321 §4.1.2, without quoted local parts; letters beyond ASCII are refused, so no address has a look-alike. */
const emailForm =
  /^(?=.{1,64}@)[\w!#$%&'*+/=?^`{|}~-]+(?:\.[\w!#$%&'*+/=?^`{|}~-]+)*@(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)*[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/i;
/**
 * Alphabets with look-alike letters: a name may use only one of them. Others (Han, Kana, Hangul, Arabic, …) mix freely.
 */
const alphabets = [
  /\p{Script=Latin}/u,
  /\p{Script=Greek}/u,
  /\p{Script=Cyrillic}/u,
  /\p{Script=Armenian}/u,
  /\p{Script=Cherokee}/u,
  /\p{Script=Coptic}/u,
  /\p{Script=Lisu}/u,
];
/** Words made only of these letters look Latin (UTS #39 §4: whole-script confusables). */
const latinLookalikes = /^[^\p{L}]*(?:[аԁесһіјӏорԛѕуԝхьѵ][^\p{L}]*)+$|^[^\p{L}]*(?:[αικνορτυχϲϳγω][^\p{L}]*)+$/u;

/**
 * The form in which names are compared and looked up: NFKC, case-folded. Null when no name can have this form
 * (invisible characters, too long); a sign-in treats it like an unknown name.
 */
export function foldIdentifier(text: string): string | null {
  if (text.length > mostCharacters * 4 || invisible.test(text)) return null;
  // Upper case first: it unifies letters that lower case keeps apart (ß and ss, final sigma and sigma).
  const folded = text.normalize('NFKC').toUpperCase().toLowerCase().normalize('NFKC');
  return [...folded].length <= mostCharacters && !invisible.test(folded) ? folded : null;
}

/** A name as stored and as compared. */
export interface Identifier {
  readonly text: string;
  readonly key: string;
}

/** An e-mail address. Throws `value_invalid` with name `email`. */
export function readEmail(text: string): Identifier {
  const identifier = readIdentifier('email', text);
  if (!emailForm.test(identifier.text)) {
    throw invalid('email', 'email must be an address of the form name@domain in ASCII characters');
  }
  return identifier;
}

/** A user name that is not an e-mail address. Throws `value_invalid` with name `username`. */
export function readUsername(text: string): Identifier {
  const identifier = readIdentifier('username', text);
  const { key } = identifier;
  if (/^[.\s]|[.\s]$|\s\s/.test(key)) {
    throw invalid('username', 'username starts or ends with a space or a dot, or contains two spaces in a row');
  }
  if (alphabets.filter((alphabet) => alphabet.test(key)).length > 1 || latinLookalikes.test(key)) {
    throw invalid('username', 'username mixes alphabets that look alike');
  }
  return identifier;
}

function readIdentifier(name: string, text: string): Identifier {
  const key = foldIdentifier(text);
  if (!key) {
    throw invalid(name, `${name} must have 1 to ${mostCharacters} characters and no invisible ones`);
  }
  return { text: text.normalize('NFKC'), key };
}

function invalid(name: string, message: string): Failure {
  return new Failure('value_invalid', { name, message });
}

/**
 * The names people sign in with. Two texts that a person or a mail server could take for one name are one identity,
 * or one of them is refused: never two users.
 */

import { Failure } from '../failure.ts';

const mostCharacters = 254;

/** Control, format and unassigned characters and those that show nothing: what an eye cannot tell apart. */
const invisible = /[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/u;
/** RFC 5321 §4.1.2, without quoted local parts; letters beyond ASCII are refused, so that no address has a twin. */
const emailForm =
  /^(?=.{1,64}@)[\w!#$%&'*+/=?^`{|}~-]+(?:\.[\w!#$%&'*+/=?^`{|}~-]+)*@(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)*[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/i;
/** Alphabets with letters that look alike: a name may use one of them. Others (Han, Kana, Hangul, Arabic, …) mix freely. */
const alphabets = [
  /\p{Script=Latin}/u,
  /\p{Script=Greek}/u,
  /\p{Script=Cyrillic}/u,
  /\p{Script=Armenian}/u,
  /\p{Script=Cherokee}/u,
  /\p{Script=Coptic}/u,
  /\p{Script=Lisu}/u,
];
/** Words made only of these are Latin words to the eye (UTS #39 §4: whole-script confusables). */
const latinLookalikes = /^[^\p{L}]*(?:[аԁесһіјӏорԛѕуԝхьѵ][^\p{L}]*)+$|^[^\p{L}]*(?:[αικνορτυχϲϳγω][^\p{L}]*)+$/u;

/**
 * The form in which names are compared and looked up: NFKC, without case. Null when no name can be written so
 * (invisible characters, too long), which a sign-in treats like a name that nobody has.
 */
export function foldIdentifier(text: string): string | null {
  if (text.length > mostCharacters * 4 || invisible.test(text)) return null;
  // Upper case first: it unfolds letters that lower case leaves apart (ß and ss, final sigma and sigma).
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

/** A user name that is no e-mail address. Throws `value_invalid` with name `username`. */
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

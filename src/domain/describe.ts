/** Maximum length of an error message, in every contract. */
const longestMessage = 512;

/** An error message cut to the length that the contracts allow. */
export function shortened(text: string): string {
  return text.slice(0, longestMessage);
}

const longestList = 380;

/** As many of the names as fit into an error message beside what is said of them. */
export function listed(names: Iterable<string>): string {
  let text = '';
  for (const name of names) {
    if (text.length + name.length > longestList) return `${text}, …`;
    text += text === '' ? name : `, ${name}`;
  }
  return text;
}

/** A text fit for `error_description`: %x20-21, %x23-5B, %x5D-7E only (RFC 6749 §5.2), and short. */
export function asDescription(text: string): string {
  return shortened(text.replace(/[“”"]/g, "'").replace(/[^\x20-\x21\x23-\x5b\x5d-\x7e]/g, '?'));
}

/** What the log says of something thrown, which may be anything. */
export function stackOf(thrown: unknown): string {
  return thrown instanceof Error ? (thrown.stack ?? thrown.message) : 'not an error';
}

/** Its message alone, for a failure that is expected at times. */
export function reasonOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : 'not an error';
}

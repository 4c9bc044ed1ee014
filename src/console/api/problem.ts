/** Why a call did not do what it should, in the words of the surface. */
export class Problem extends Error {
  /** Of the answer; 0 where there was none. */
  readonly status: number;
  /** After how many seconds the same call may be made again, where the answer says so. */
  readonly retrySeconds: number | null;

  constructor(status: number, message: string, retrySeconds: number | null = null) {
    super(message);
    this.status = status;
    this.retrySeconds = retrySeconds;
  }
}

const unreachable = new Problem(0, 'The service did not answer. Check the network, and try again.');

export function problemOf(error: unknown): Problem {
  return error instanceof Problem ? error : unreachable;
}

/**
 * The field that a message is about: of those whose names it contains as a word, the one that it names first. A member
 * within another one may be named without that.
 */
export function fieldIn(message: string, fields: readonly string[]): string | null {
  const places = fields.flatMap((field) => {
    const names = [field, field.split('.').at(-1) ?? field];
    const found = names.map((name) => ` ${message} `.search(new RegExp(`[^\\w]${literal(name)}[^\\w]`)));
    const at = found.filter((index) => index >= 0);
    return at.length > 0 ? [{ field, at: Math.min(...at) }] : [];
  });
  return places.sort((one, other) => one.at - other.at)[0]?.field ?? null;
}

const literal = (text: string) => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');

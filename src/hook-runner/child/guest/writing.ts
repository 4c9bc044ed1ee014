/** What those who write values as text have in common. */

/** So many items of a list are written. */
export const mostItems = 100;

export interface Writing {
  /** Objects that contain the one being written. */
  readonly around: object[];
  /** Those of them that something inside refers to, with the number of the reference. */
  readonly referred: Map<object, number>;
  readonly depthLimit: number;
  indentation: number;
  /** Level of the object that was written last: how deep the one around it goes. */
  level: number;
}

export interface Shape {
  /** Stands before the braces: a class, an error's stack, a date. */
  readonly base: string;
  readonly prefix: string;
  readonly braces: readonly [string, string];
  readonly entries: () => string[];
  readonly isList: boolean;
}

export function indented(writing: { indentation: number }, work: () => string): string {
  writing.indentation += 2;
  const text = work();
  writing.indentation -= 2;
  return text;
}

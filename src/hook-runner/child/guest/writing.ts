/** Shared by the modules that format values as text. */

/** The number of array items that are printed. */
export const mostItems = 100;

export interface Writing {
  /** Objects that contain the one being formatted. */
  readonly around: object[];
  /** Those that something inside refers back to, with the number of the reference. */
  readonly referred: Map<object, number>;
  readonly depthLimit: number;
  indentation: number;
  /** Level of the last object formatted: it says how deep the enclosing object goes. */
  level: number;
}

export interface Shape {
  /** Printed before the braces: a class name, an error's stack, a date. */
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

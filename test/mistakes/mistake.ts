/** A mistake that people make, and how they are told. */
export interface Mistake {
  readonly made: string;
  /** What the service answers, in one line. */
  readonly told: () => Promise<string>;
  /** What is wrong, or what to do: it must be among the words. */
  readonly says: RegExp;
}

/** What no words may hold: a stack of the service's own, or one of its faults. */
export const never = /\n\s+at .*\bsrc\/|node_modules|internal error|InternalServerError|\[object Object\]/;

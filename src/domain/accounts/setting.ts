/** One setting of an account, as it is written on the command line and stored. */
export interface Setting<Value> {
  /** The text that stands where none is stored. */
  readonly fallback: string;
  /** What is allowed, in words for the message. */
  readonly allowed: string;
  /** The parsed value; undefined when the text is not allowed. */
  parse(text: string): Value | undefined;
}

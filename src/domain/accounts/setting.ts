/** A setting of an account, as written on the command line and stored. */
export interface Setting<Value> {
  /** The default, as text. */
  readonly fallback: string;
  /** The allowed values, worded for the message. */
  readonly allowed: string;
  /** The parsed value; undefined when the text is not allowed. */
  parse(text: string): Value | undefined;
}

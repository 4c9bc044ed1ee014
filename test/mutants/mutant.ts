/** A condition of the service, changed or taken away to see that a test notices. */
export interface Mutant {
  /** Unique, for the command line: `refresh-grant-type`. */
  readonly id: string;
  /** The rule that does not hold any more. */
  readonly rule: string;
  /** Path of the file below `src/`. */
  readonly file: string;
  /** Occurs exactly once in the file. */
  readonly text: string;
  /** Stands in its place. */
  readonly becomes: string;
  /** The module or test file, below `test/`, that has to fail on SQLite. */
  readonly killedBy: string;
}

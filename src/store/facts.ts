/** Facts about the installation that must survive it: one text per name, written once. */
export interface FactStore {
  read(name: string): Promise<string | null>;
  /** Stores `value` unless the name has one already; answers what is stored. */
  keep(name: string, value: string): Promise<string>;
}

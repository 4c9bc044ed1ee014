/** Facts about the installation: one text per name. */
export interface FactStore {
  read(name: string): Promise<string | null>;
  /** Stores `value` unless the name has one already; returns the stored one. */
  keep(name: string, value: string): Promise<string>;
  /** As `keep`; nobody else holds or changes it until the end of the transaction. */
  hold(name: string, value: string): Promise<string>;
  /** Stores `value` in place of what the name had. */
  replace(name: string, value: string): Promise<void>;
}

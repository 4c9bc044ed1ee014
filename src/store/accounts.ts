import type { New } from './row.ts';
import type { Milliseconds } from './time.ts';

/** A customer of the service, chosen by the Host of a request. */
export interface AccountRecord {
  readonly id: number;
  readonly subdomain: string;
  readonly name: string;
  /** Only set if the base URL is not `<scheme>://<subdomain>.<SERVICE_DOMAIN>` (the demo account). */
  readonly baseUrl: string | null;
  /** Extra hosts (custom domains), lower case, including the port if it is not the scheme's default. */
  readonly hosts: readonly string[];
  /** Settings that differ from their defaults, by key. */
  readonly settings: Readonly<Record<string, string>>;
  /** The account's data key, sealed under the master key. */
  readonly sealedKey: string;
  readonly createdAt: Milliseconds;
}

export interface AccountStore {
  /** Throws `conflict` with name `subdomain` or `host`. */
  create(account: New<AccountRecord>): Promise<AccountRecord>;
  find(id: number): Promise<AccountRecord | null>;
  findBySubdomain(subdomain: string): Promise<AccountRecord | null>;
  /** By one of its extra hosts, lower case. */
  findByHost(host: string): Promise<AccountRecord | null>;
  list(): Promise<AccountRecord[]>;
  /** Changes the given members; `hosts` and `settings` replace the former ones. Null when there is no such account. */
  update(
    id: number,
    changes: Partial<Pick<AccountRecord, 'name' | 'baseUrl' | 'hosts' | 'settings'>>,
  ): Promise<AccountRecord | null>;
  /**
   * For an account whose rows were changed past the store: writes what depends on them, and has every process read again
   * what it keeps in memory. False when there is no such account.
   */
  touch(id: number): Promise<boolean>;
}

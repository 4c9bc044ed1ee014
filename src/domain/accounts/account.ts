import type { AccountRecord } from '../../store/accounts.ts';
import type { AccountSettings } from './settings.ts';

/** An account as the domain uses it: addresses resolved, settings parsed. */
export interface Account {
  readonly id: number;
  readonly subdomain: string;
  readonly name: string;
  /**
   * `<scheme>://<host>`, no path, no trailing slash: the issuer and the base of every link. Never taken from a request.
   */
  readonly baseUrl: string;
  readonly hosts: readonly string[];
  readonly settings: AccountSettings;
  /** The stored row, which holds the data key for sealing. */
  readonly record: AccountRecord;
}

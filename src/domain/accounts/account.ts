import type { AccountRecord } from '../../store/accounts.ts';
import type { AccountSettings } from './settings.ts';

/** An account as every rule sees it: addresses resolved, settings parsed. */
export interface Account {
  readonly id: number;
  readonly subdomain: string;
  readonly name: string;
  /** `<scheme>://<host>`, no path, no trailing slash: issuer and root of every link. Never taken from a request. */
  readonly baseUrl: string;
  readonly hosts: readonly string[];
  readonly settings: AccountSettings;
  /** The stored row, for what is sealed under the account's data key. */
  readonly record: AccountRecord;
}

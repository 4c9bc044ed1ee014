/** The services that the rest of the program gets: `main.ts` creates them once, tests substitute parts. */

import type { Account } from './domain/accounts/account.ts';
import type { Once } from './domain/audit/once.ts';
import type { ClientDocuments } from './domain/clients/documents-port.ts';
import type { Egress } from './domain/egress.ts';
import type { Share } from './domain/fair-queue/share.ts';
import type { PackageBuilds } from './domain/hooks/package-builds.ts';
import type { HookRunner } from './domain/hooks/runner.ts';
import type { PublicJwk } from './domain/keys/public-jwk.ts';
import type { Limits } from './domain/limits.ts';
import type { Mailer } from './domain/mail.ts';
import type { Passkeys } from './domain/passkeys/port.ts';
import type { Refusals } from './domain/refusals/refusals.ts';
import type { PeopleFiles } from './domain/users/people/files-port.ts';
import type { Worker } from './domain/worker.ts';
import type { AccountRecord } from './store/accounts.ts';
import type { RegisteredKey } from './store/client-metadata.ts';
import type { ClientRecord } from './store/clients.ts';
import type { AccountCountKind, CountKind } from './store/counts.ts';
import type { SigningAlgorithm } from './store/keys.ts';
import type { Store } from './store/store.ts';

export interface Clock {
  /** Milliseconds since the epoch (UTC). */
  now(): number;
}

export interface Random {
  /** `size` bytes from a cryptographic generator. */
  bytes(size: number): Buffer;
}

/** The public addresses of the service, from configuration. */
export interface Addresses {
  /** `<domain>[:port]` below which each account has a subdomain. */
  readonly serviceDomain: string;
  readonly publicScheme: 'http' | 'https';
}

/**
 * Seals texts that must be read back, under the account's data key (AES-256-GCM). `place` names table, column and row
 * and is authenticated.
 */
export interface Vault {
  /** A new account's data key, sealed under the master key. */
  newAccountKey(subdomain: string): string;
  seal(account: Pick<AccountRecord, 'subdomain' | 'sealedKey'>, place: string, secret: Buffer): string;
  /** Throws `Failure('internal')` when the text was moved, changed or sealed under another key. */
  unseal(account: Pick<AccountRecord, 'subdomain' | 'sealedKey'>, place: string, sealed: string): Buffer;
  /** HMAC-SHA-256 of `text` under a key that is derived from the account's for `purpose`. */
  mac(account: Pick<AccountRecord, 'subdomain' | 'sealedKey'>, purpose: string, text: string): Buffer;
}

/** Signs for an account with its current key, on the thread pool. */
export interface Signer {
  /** A compact JWS (RFC 7515) of `claims`; header `alg`, `kid` and `typ`. */
  sign(
    account: Account,
    alg: SigningAlgorithm,
    typ: string,
    claims: Readonly<Record<string, unknown>>,
  ): Promise<string>;
  /** The published keys: the signing ones, the next, and retired ones whose tokens are still valid. */
  published(account: Account): Promise<readonly PublicJwk[]>;
}

/** Compares a password with a digest. With null it takes the same time and returns false. */
export type VerifyPassword = (password: string, digest: string | null) => Promise<boolean>;

/**
 * Password digests. Every function waits for a place in a queue that is fair between the shares of accounts and
 * sources. When 64 are waiting, the one with the largest share is turned away: it throws `Failure('unavailable')`.
 */
export interface Passwords {
  /** The digest of a typed password: normalized to NFKC, then argon2id. */
  digest(password: string, share: Share): Promise<string>;
  /** Compares with a digest of this service, or an imported one. */
  verify(password: string, digest: string | null, share: Share): Promise<boolean>;
  /** Takes a place before `work` begins and keeps it until it ends: the `verify` that it is given is never refused. */
  withPlace<Result>(share: Share, work: (verify: VerifyPassword) => Promise<Result>): Promise<Result>;
}

/** Time-based one-time codes (RFC 6238): six digits, a new one every 30 seconds. */
export interface Totp {
  /** The time step of this code, if it is the current one or one beside it; else null. */
  findStep(seed: Buffer, code: string, now: number): number | null;
  /** A seed as text to type (base32), and as a URL for an authenticator app (`otpauth:`). */
  describe(seed: Buffer, issuer: string, label: string): { readonly secret: string; readonly url: string };
}

/** The public keys of clients that publish them at their own address, fetched when needed. */
export interface ClientKeys {
  /**
   * The keys at `uri`, or null when there are none. They are cached, and fetched again when `isKnown` does not find
   * what it looks for, but not too often. While the address does not answer with keys, the last ones are valid for a
   * day. Throws `unavailable` if the address was not asked because too many requests are under way. What is cached and
   * fetched is limited per account, and separately for open-registered clients.
   */
  read(
    client: Pick<ClientRecord, 'accountId' | 'registeredBy'>,
    uri: string,
    isKnown: (keys: readonly RegisteredKey[]) => boolean,
  ): Promise<readonly RegisteredKey[] | null>;
}

/** Counts per account, day and subject of what the trail does not record one by one. */
export interface DailyCounts {
  /** Counts for the subject, and for its account. */
  add(accountId: number, kind: CountKind, subjectId: number): void;
  /** Counts for the account alone. */
  addToAccount(accountId: number, kind: AccountCountKind): void;
  /** Stores the counts. Those that could not be stored are kept for the next time, and the failure is thrown. */
  flush(): Promise<void>;
}

/** Countries of addresses. */
export interface GeoIp {
  /** ISO 3166-1 alpha-2; null for an unlisted address, or when there is no list. */
  countryOf(address: string): Promise<string | null>;
  /** Opens the file if it is not open. `reason` says why it cannot be opened; null when it can. */
  examine(): Promise<{ readonly file: string; readonly reason: string | null }>;
}

/** Fields a log line may hold; anything else does not compile. */
export interface LogFields {
  readonly requestId?: string;
  readonly account?: string | undefined;
  readonly method?: string;
  /** The contract's path template, never the actual path. */
  readonly route?: string;
  readonly operation?: string;
  readonly status?: number;
  readonly milliseconds?: number;
  /** A failure's code and true reason. */
  readonly failure?: string;
  readonly reason?: string;
  readonly appId?: number;
  readonly userId?: number;
  readonly grantId?: number;
  /** The number of a row in `removals`. */
  readonly removalId?: number;
  /** A table of the store. */
  readonly table?: string;
  readonly count?: number;
  /** Of a process of the service. */
  readonly pid?: number | undefined;
  readonly port?: number;
  readonly host?: string;
  readonly version?: string;
  readonly signal?: string;
  readonly stack?: string;
}

export interface Log {
  debug(event: string, fields?: LogFields): void;
  info(event: string, fields?: LogFields): void;
  warn(event: string, fields?: LogFields): void;
  error(event: string, fields?: LogFields): void;
}

export interface Services {
  readonly addresses: Addresses;
  readonly store: Store;
  readonly clock: Clock;
  readonly random: Random;
  readonly vault: Vault;
  readonly signer: Signer;
  readonly passwords: Passwords;
  readonly totp: Totp;
  readonly passkeys: Passkeys;
  readonly limits: Limits;
  readonly clientKeys: ClientKeys;
  readonly clientDocuments: ClientDocuments;
  readonly counts: DailyCounts;
  /** Events that the trail records once an hour. */
  readonly onceAnHour: Once;
  /** Causes of refusals that people saw. */
  readonly refusals: Refusals;
  /** Notifies clients of ended sessions. */
  readonly logoutNotices: Worker;
  readonly mailer: Mailer;
  /** Notifies users of changes of how they sign in. */
  readonly changeNotices: Worker;
  /** Sends the links that users requested. */
  readonly resetMails: Worker;
  /** Runs the functions of hooks. */
  readonly hooks: HookRunner;
  /** How long a run of a hook waits for the account's limit of runs. */
  readonly hookWaitMilliseconds: number;
  /** Builds the packages of hooks, in the background. */
  readonly packageBuilds: PackageBuilds;
  /** Runtime identifiers that a hook may name; the first is the default. */
  readonly hookRuntimes: readonly string[];
  /** Requests to addresses that others registered (`EGRESS`). */
  readonly egress: Egress;
  /** The `fetch` of hooks (`HOOK_EGRESS`). */
  readonly hookEgress: Egress;
  readonly geoip: GeoIp;
  /** Reads and writes files of people; loads the libraries for it. */
  readonly peopleFiles: () => Promise<PeopleFiles>;
  readonly log: Log;
}

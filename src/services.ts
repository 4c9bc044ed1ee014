/** What the rest of the program is given: `main.ts` fills it once, tests fill it with parts of their own choice. */

import type { Account } from './domain/accounts/account.ts';
import type { Once } from './domain/audit/once.ts';
import type { Egress } from './domain/egress.ts';
import type { Share } from './domain/fair-queue/fair-queue.ts';
import type { PackageBuilds } from './domain/hooks/package-builds.ts';
import type { HookRunner } from './domain/hooks/runner.ts';
import type { Limits } from './domain/limits.ts';
import type { Mailer } from './domain/mail.ts';
import type { Passkeys } from './domain/passkeys/port.ts';
import type { Worker } from './domain/worker.ts';
import type { AccountRecord } from './store/accounts.ts';
import type { ClientKey } from './store/client-metadata.ts';
import type { ClientRecord } from './store/clients.ts';
import type { CountKind } from './store/counts.ts';
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

/** Where the service can be reached, from configuration. */
export interface Addresses {
  /** `<domain>[:port]` below which each account has a subdomain. */
  readonly serviceDomain: string;
  readonly publicScheme: 'http' | 'https';
}

/** Seals what must be read back, under the data key of its account (AES-256-GCM). `place` names table, column and row and is authenticated. */
export interface Vault {
  /** A new account's data key, sealed under the master key. */
  newAccountKey(subdomain: string): string;
  seal(account: Pick<AccountRecord, 'subdomain' | 'sealedKey'>, place: string, secret: Buffer): string;
  /** Throws `Failure('internal')` when the text was moved, changed or sealed under another key. */
  unseal(account: Pick<AccountRecord, 'subdomain' | 'sealedKey'>, place: string, sealed: string): Buffer;
  /** HMAC-SHA-256 of `text` under a key of the account that is derived for `purpose`. */
  mac(account: Pick<AccountRecord, 'subdomain' | 'sealedKey'>, purpose: string, text: string): Buffer;
}

export interface PublicJwk {
  readonly kty: string;
  readonly kid: string;
  readonly alg: SigningAlgorithm;
  readonly use: 'sig';
  readonly n?: string;
  readonly e?: string;
  readonly crv?: string;
  readonly x?: string;
  readonly y?: string;
}

/** Signs for an account with its current key; the signature is made on the thread pool. */
export interface Signer {
  /** A compact JWS (RFC 7515) of `claims`; header `alg`, `kid` and `typ`. */
  sign(
    account: Account,
    alg: SigningAlgorithm,
    typ: string,
    claims: Readonly<Record<string, unknown>>,
  ): Promise<string>;
  /** The published keys: the signing ones, the next, and the retired ones that still verify live tokens. */
  published(account: Account): Promise<readonly PublicJwk[]>;
}

/** Holds a password against a digest. With null the same time is spent and the answer is false. */
export type VerifyPassword = (password: string, digest: string | null) => Promise<boolean>;

/**
 * Password digests. Every verb waits for a place in a queue that is fair between the shares of accounts and sources.
 * When 64 wait, the one with the largest share is turned away: it throws `Failure('unavailable')`.
 */
export interface Passwords {
  /** Of a password as typed: folded to NFKC, then argon2id. */
  digest(password: string, share: Share): Promise<string>;
  /** Against a digest of this service, or an imported one. */
  verify(password: string, digest: string | null, share: Share): Promise<boolean>;
  /** Has the place before `work` begins and until it ends: the `verify` it is given is never refused. */
  withPlace<Result>(share: Share, work: (verify: VerifyPassword) => Promise<Result>): Promise<Result>;
}

/** Time-based one-time codes (RFC 6238): six digits, a new one every 30 seconds. */
export interface Totp {
  /** The time step whose code this is, of now's and the ones beside it; null when it is none of theirs. */
  findStep(seed: Buffer, code: string, now: number): number | null;
  /** A seed as a person types it (base32), and as an authenticator app reads it (`otpauth:`). */
  describe(seed: Buffer, issuer: string, label: string): { readonly secret: string; readonly url: string };
}

/** The public keys of clients that publish them at an address of theirs, fetched when they are needed. */
export interface ClientKeys {
  /**
   * The keys at `uri`, or null when there are none to be had. They are kept for a while, and fetched anew at once when
   * `isKnown` does not find what it looks for; but not again and again. While there are none to be had, the last ones
   * are good for a day. Throws `unavailable` where the address was not asked, since too many requests are under way.
   * What is kept, and asked for, is bounded for each account, apart for clients that registered in the open.
   */
  read(
    client: Pick<ClientRecord, 'accountId' | 'registeredBy'>,
    uri: string,
    isKnown: (keys: readonly ClientKey[]) => boolean,
  ): Promise<readonly ClientKey[] | null>;
}

/** Counts per account, day and subject of what the trail does not tell one by one. */
export interface DailyCounts {
  add(accountId: number, kind: CountKind, subjectId: number): void;
  /** Makes durable what was counted; what could not be stored is kept for the next time, and the failure thrown. */
  flush(): Promise<void>;
}

/** Where addresses are. */
export interface GeoIp {
  /** ISO 3166-1 alpha-2; null for an address that is not listed, or when there is no list. */
  countryOf(address: string): Promise<string | null>;
}

/** Fields a log line may hold; anything else does not compile. */
export interface LogFields {
  readonly requestId?: string;
  readonly account?: string | undefined;
  readonly method?: string;
  /** The contract's path template, never the path with its values. */
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
  readonly counts: DailyCounts;
  /** What the trail tells of once an hour. */
  readonly onceAnHour: Once;
  /** Tells clients of sessions that ended. */
  readonly logoutNotices: Worker;
  readonly mailer: Mailer;
  /** Tells users of changes of how they sign in. */
  readonly changeNotices: Worker;
  /** Sends the links that users asked for. */
  readonly resetMails: Worker;
  /** Runs the functions of hooks. */
  readonly hooks: HookRunner;
  /** How long a run of a hook waits for the account's limit of runs. */
  readonly hookWaitMilliseconds: number;
  /** Builds the packages of hooks, in the background. */
  readonly packageBuilds: PackageBuilds;
  /** Runtime identifiers that a hook may name; the first is the one of a hook that names none. */
  readonly hookRuntimes: readonly string[];
  /** What the service fetches because somebody registered an address (`EGRESS`). */
  readonly egress: Egress;
  /** The `fetch` of hooks (`HOOK_EGRESS`). */
  readonly hookEgress: Egress;
  readonly geoip: GeoIp;
  readonly log: Log;
}

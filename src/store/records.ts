/** What the store keeps, as the domain sees it. Times are milliseconds since the epoch (UTC). */

import type { GrantType } from '../domain/clients/known-values.ts';
import type { SignInTraitsRecord } from './hook-records.ts';

export type * from './hook-records.ts';

export type Milliseconds = number;

/** A customer of the service, chosen by the Host of a request. */
export interface AccountRecord {
  readonly id: number;
  readonly subdomain: string;
  readonly name: string;
  /** Set only where the base URL is not `<scheme>://<subdomain>.<SERVICE_DOMAIN>` (the demo account). */
  readonly baseUrl: string | null;
  /** Extra hosts (custom domains), lower case, port included when it is not the scheme's default. */
  readonly hosts: readonly string[];
  /** Settings that differ from their defaults, by key. */
  readonly settings: Readonly<Record<string, string>>;
  /** The account's data key, sealed under the master key. */
  readonly sealedKey: string;
  readonly createdAt: Milliseconds;
}

export type SigningAlgorithm = 'RS256' | 'ES256';

/** A key that signs id tokens. Published from `publishedAt`, signs from `signsFrom` until a later key does. */
export interface SigningKeyRecord {
  readonly accountId: number;
  /** RFC 7638 thumbprint. */
  readonly kid: string;
  readonly alg: SigningAlgorithm;
  /** The public JWK as JSON text. */
  readonly publicJwk: string;
  /** PKCS #8 DER, sealed under the account's data key. */
  readonly sealedPrivateKey: string;
  readonly publishedAt: Milliseconds;
  readonly signsFrom: Milliseconds;
  /** When it leaves the published set; null while it is the newest of its algorithm. */
  readonly retiresAt: Milliseconds | null;
}

/** A pair with which a program obtains tokens for the management API. */
export interface CredentialRecord {
  readonly accountId: number;
  readonly id: number;
  readonly clientId: string;
  readonly secretDigest: string;
  readonly scopes: readonly string[];
  readonly createdAt: Milliseconds;
  readonly revokedAt: Milliseconds | null;
}

/** An access token issued to a credential. */
export interface CredentialTokenRecord {
  readonly accountId: number;
  readonly id: number;
  readonly digest: string;
  readonly credentialId: number;
  readonly createdAt: Milliseconds;
  readonly expiresAt: Milliseconds;
  readonly revokedAt: Milliseconds | null;
}

/** The key of the deprecated surfaces. */
export interface ApiKeyRecord {
  readonly accountId: number;
  readonly id: number;
  readonly name: string;
  readonly digest: string;
  readonly createdAt: Milliseconds;
  readonly revokedAt: Milliseconds | null;
}

/** 0 unactivated, 1 active, 2 suspended, 3 locked, 4 password expired, 5 awaiting reset, 7 password pending. */
export type UserStatus = 0 | 1 | 2 | 3 | 4 | 5 | 7;

export interface UserRecord {
  readonly accountId: number;
  readonly id: number;
  readonly email: string | null;
  readonly username: string | null;
  readonly firstname: string | null;
  readonly lastname: string | null;
  readonly status: UserStatus;
  readonly passwordDigest: string | null;
  /** Wrong passwords in a row. */
  readonly invalidLoginAttempts: number;
  /** Until when sign-in by password is closed. */
  readonly lockedUntil: Milliseconds | null;
  readonly lastLogin: Milliseconds | null;
  readonly passwordChangedAt: Milliseconds | null;
  /** When all that the user had begun or opened was last ended for good: access tokens from before are not good any more. */
  readonly signedOutAt: Milliseconds | null;
  readonly activatedAt: Milliseconds | null;
  readonly createdAt: Milliseconds;
  readonly updatedAt: Milliseconds;
  /** Until when no reset link goes to the address, which somebody wrote who may not set passwords; null: it may at any time. */
  readonly emailHeldUntil: Milliseconds | null;
  /** Counts the changes of address, user name, password and status: a link works for the number that it was made at. */
  readonly meansVersion: number;
}

/** As much of a user as tokens are made from: read at every exchange, and no more. */
export type TokenUser = Pick<
  UserRecord,
  'accountId' | 'id' | 'email' | 'username' | 'firstname' | 'lastname' | 'status' | 'signedOutAt' | 'updatedAt'
>;

/** 0 unapproved, 1 approved, 2 rejected, 3 unlicensed. */
export type UserState = 0 | 1 | 2 | 3;

/** What describes a user beyond signing in: kept apart, since a refresh reads none of it. */
export interface UserDetails {
  readonly title: string | null;
  readonly department: string | null;
  readonly company: string | null;
  readonly phone: string | null;
  readonly comment: string | null;
  readonly externalId: string | null;
  readonly groupId: number | null;
  readonly managerUserId: number | null;
  readonly preferredLocaleCode: string | null;
  /** The policy that is set for this user; null: another one decides. */
  readonly policyId: number | null;
  readonly state: UserState;
  readonly invitationSentAt: Milliseconds | null;
}

export type DetailedUser = UserRecord & UserDetails;

/** A member that the account adds to its users. */
export interface CustomAttributeRecord {
  readonly accountId: number;
  readonly id: number;
  readonly name: string;
  /** Unique in the account. */
  readonly shortname: string;
  readonly position: number;
  readonly createdAt: Milliseconds;
}

/** What a user has for a custom attribute. */
export interface AttributeValue {
  readonly userId: number;
  readonly attributeId: number;
  readonly value: string;
}

export interface RoleRecord {
  readonly accountId: number;
  readonly id: number;
  readonly name: string;
  /** The policy of those who have the role; null: none. */
  readonly policyId: number | null;
  readonly createdAt: Milliseconds;
}

/** Rules for the users who follow it: passwords, lockout, sessions. One of an account's policies is its default. */
export interface PolicyRecord {
  readonly accountId: number;
  readonly id: number;
  readonly name: string;
  readonly isDefault: boolean;
  /** Characters that a new password has at least. */
  readonly minimumPasswordLength: number;
  /** Wrong passwords in a row that close sign-in by password. */
  readonly maximumInvalidLoginAttempts: number;
  /** For how long it is closed then. */
  readonly lockEffectiveMinutes: number;
  /** How long a session lasts that is not used. */
  readonly sessionTimeoutMinutes: number;
  /** How long a session lasts however often it is used. */
  readonly sessionAbsoluteMinutes: number;
  /** After how many days a password has to be replaced at sign-in; null: never. */
  readonly passwordExpirationDays: number | null;
  readonly otpRequired: boolean;
  readonly createdAt: Milliseconds;
  readonly updatedAt: Milliseconds;
}

export type ClientAuthMethod = 'client_secret_basic' | 'client_secret_post' | 'none' | 'private_key_jwt';

export type ResponseType = 'code' | 'id_token token' | 'id_token';

/** A public key that a client registered (RFC 7517 §4, RFC 7518 §6). */
export interface ClientKey {
  readonly kty: string;
  readonly kid?: string;
  readonly use?: string;
  readonly alg?: string;
  readonly n?: string;
  readonly e?: string;
  readonly crv?: string;
  readonly x?: string;
  readonly y?: string;
}

/** What clients may sign with (RFC 7518 §3.1; the last two are one, by RFC 8037 §3.1 and RFC 9864 §2.2). */
export type AssertionAlgorithm = 'RS256' | 'PS256' | 'ES256' | 'EdDSA' | 'Ed25519';

/** Optional client metadata, kept as sent and under its own names (RFC 7591 §2). */
export interface ExtraMetadata {
  readonly logo_uri?: string;
  readonly login_url?: string;
  readonly initiate_login_uri?: string;
  readonly client_uri?: string;
  readonly policy_uri?: string;
  readonly tos_uri?: string;
  readonly jwks_uri?: string;
  readonly jwks?: { readonly keys: readonly ClientKey[] };
  readonly contacts?: readonly string[];
  readonly software_id?: string;
  readonly software_version?: string;
  /** Seconds (OpenID Connect Registration §2). */
  readonly default_max_age?: number;
  readonly require_auth_time?: boolean;
  /** Where the client is told that a session ended (OpenID Connect Back-Channel Logout §2.2). */
  readonly backchannel_logout_uri?: string;
  readonly backchannel_logout_session_required?: boolean;
  /** Whether all its access tokens are bound to a key (RFC 9449 §5.2). */
  readonly dpop_bound_access_tokens?: boolean;
  /** The one algorithm of the client's assertions; absent: any that is offered. */
  readonly token_endpoint_auth_signing_alg?: AssertionAlgorithm;
  /** The one algorithm of the client's request objects; absent: any that is offered. */
  readonly request_object_signing_alg?: AssertionAlgorithm;
  /** What userinfo is signed with; absent: it is JSON. */
  readonly userinfo_signed_response_alg?: SigningAlgorithm;
  /** Where request objects of the client may be fetched. */
  readonly request_uris?: readonly string[];
  /** Where the redirect URIs of a sector are listed. */
  readonly sector_identifier_uri?: string;
  /** Whether the client sends all its requests ahead (RFC 9126 §6). */
  readonly require_pushed_authorization_requests?: boolean;
}

/** A registered client; the app is its management view and shares its row. */
export interface ClientRecord {
  readonly accountId: number;
  readonly appId: number;
  readonly clientId: string;
  readonly secretDigest: string | null;
  readonly name: string;
  readonly applicationType: 'web' | 'native';
  readonly redirectUris: readonly string[];
  readonly postLogoutRedirectUris: readonly string[];
  readonly grantTypes: readonly GrantType[];
  readonly responseTypes: readonly ResponseType[];
  readonly authMethod: ClientAuthMethod;
  /** Whether the registration named the method; if not, the secret may come either way. */
  readonly authMethodNamed: boolean;
  readonly subjectType: 'public' | 'pairwise';
  /** Within which clients see the same subject of a user; null: within the account. */
  readonly sector: string | null;
  readonly idTokenAlg: SigningAlgorithm;
  /** Scopes the client may ask for; null: every scope the account knows. */
  readonly scope: readonly string[] | null;
  readonly extra: ExtraMetadata;
  /** `open`: registered by anyone, so consent is asked at every authorization. */
  readonly registeredBy: 'token' | 'open';
  /** The policy of sign-ins to the app; null: none of its own. */
  readonly policyId: number | null;
  readonly createdAt: Milliseconds;
  /** How many API authorization servers it is linked to; the store counts. */
  readonly linkedServers: number;
  /** Digest of the secret before the current one, while it is valid as well; null when there is none. */
  readonly previousSecretDigest: string | null;
  readonly previousSecretExpiresAt: Milliseconds | null;
}

/** As much of a client as tells what its tokens are good for. */
export type TokenClient = Pick<ClientRecord, 'accountId' | 'appId' | 'clientId' | 'linkedServers' | 'sector'>;

/** A client before it is stored: the store numbers it and counts its links, and there is no former secret. */
export type NewClientRecord = Omit<
  ClientRecord,
  'appId' | 'linkedServers' | 'previousSecretDigest' | 'previousSecretExpiresAt'
> &
  Partial<ClientOwnership>;

/** Kept apart, since an exchange of tokens does not read it. */
export interface ClientOwnership {
  /** Of the token with which the client manages its registration (RFC 7592 §3); null when it cannot. */
  readonly registrationTokenDigest: string | null;
}

/** An assertion with which a client authenticated. */
export interface AssertionRecord {
  readonly accountId: number;
  readonly appId: number;
  /** Of its `jti`. */
  readonly digest: string;
  readonly expiresAt: Milliseconds;
}

/** A client that anyone registered, and when it was used last. */
export interface OpenClient {
  readonly accountId: number;
  readonly appId: number;
  readonly createdAt: Milliseconds;
  /** In UTC, `2026-11-21`; null when it never was. */
  readonly lastUsedDay: string | null;
}

/** An API authorization server: for whom linked clients get access tokens, and how long these live. */
export interface AuthorizationServerRecord {
  readonly accountId: number;
  readonly id: number;
  readonly name: string;
  readonly description: string | null;
  /** An absolute URI: what clients name as `resource` (RFC 8707), and the audience of the tokens. */
  readonly resourceIdentifier: string;
  /** More audiences. */
  readonly audiences: readonly string[];
  /** Null: as opaque access tokens live. */
  readonly accessTokenMinutes: number | null;
  /** How long a refresh token waits for its use; null: as the account's settings say. */
  readonly refreshTokenMinutes: number | null;
  readonly createdAt: Milliseconds;
  readonly updatedAt: Milliseconds;
}

/** A scope of one API authorization server. */
export interface ServerScopeRecord {
  readonly accountId: number;
  readonly serverId: number;
  readonly id: number;
  readonly value: string;
  readonly description: string | null;
  readonly createdAt: Milliseconds;
}

/** A claim that one API authorization server's tokens carry about the user. */
export interface ServerClaimRecord {
  readonly accountId: number;
  readonly serverId: number;
  readonly id: number;
  /** The claim's name. */
  readonly label: string;
  /** The user's attribute that it holds, or `_macro_`. */
  readonly attribute: string;
  /** With `_macro_`: a text with `{attribute}` in it. */
  readonly macro: string | null;
  readonly createdAt: Milliseconds;
}

/** A client that may get an API authorization server's tokens. */
export interface ServerLinkRecord {
  readonly accountId: number;
  readonly serverId: number;
  readonly appId: number;
  /** Scopes of the server that the client may ask for; one that was removed since stands here still and counts for nothing. */
  readonly scopeIds: readonly number[];
  readonly linkedAt: Milliseconds;
}

/** All that a linked client's tokens are made from. */
export interface LinkedServer {
  readonly server: AuthorizationServerRecord;
  /** Those that the client may ask for. */
  readonly scopes: readonly ServerScopeRecord[];
  readonly claims: readonly ServerClaimRecord[];
  readonly linkedAt: Milliseconds;
}

/** What describes an app beyond its client: kept apart, since an exchange of tokens reads none of it. */
export interface AppDetails {
  /** What kind of app it is in another system. */
  readonly connectorId: number;
  readonly description: string | null;
  readonly notes: string | null;
  /** Whether it is among the apps that users are shown. */
  readonly visible: boolean;
  readonly updatedAt: Milliseconds;
}

export type DetailedClient = ClientRecord & AppDetails;

/** A browser's signed-in session. */
export interface SessionRecord {
  readonly accountId: number;
  readonly id: number;
  readonly digest: string;
  /** Names the session, and is the `sid` claim of clients without a sector; opens nothing. */
  readonly sid: string;
  readonly userId: number;
  readonly amr: readonly string[];
  readonly authenticatedAt: Milliseconds;
  readonly lastSeenAt: Milliseconds;
  /** How long it lasts unused. */
  readonly idleMilliseconds: Milliseconds;
  readonly expiresAt: Milliseconds;
  /** Address that its sign-in came from; null where that was not kept. */
  readonly source: string | null;
  /** What the browser said of itself then. */
  readonly userAgent: string | null;
}

/** What a client is still to be told: that a session of its ended. */
export interface NoticeRecord {
  readonly accountId: number;
  readonly id: number;
  readonly appId: number;
  /** The user, as the client knows them. */
  readonly subject: string;
  readonly sid: string;
  /** Where the client is told, as in a URL: with its port, where it is not the usual one. */
  readonly host: string;
  readonly registeredBy: ClientRecord['registeredBy'];
  /** How often it was tried. */
  readonly attempts: number;
  readonly dueAt: Milliseconds;
}

export type ResponseMode = 'query' | 'fragment' | 'form_post';

/** What the client asked for at the authorization endpoint, validated. */
export interface AuthorizationParameters {
  readonly redirectUri: string;
  /** Absent: query. */
  readonly responseMode?: ResponseMode;
  /** Absent: a code. */
  readonly responseType?: Exclude<ResponseType, 'code'>;
  readonly redirectUriGiven: boolean;
  readonly scope: readonly string[];
  readonly state: string | null;
  readonly nonce: string | null;
  readonly codeChallenge: string | null;
  readonly loginHint: string | null;
  readonly prompt: readonly string[];
  readonly maxAgeSeconds: number | null;
  /** True: the client wants a second factor (`acr_values`). */
  readonly secondFactor?: boolean;
  /** The API authorization server that `resource` named (RFC 8707 §2.1). */
  readonly serverId: number | null;
  /** The `sub` of the one user who may be signed in for this; absent: anyone. */
  readonly subject?: string;
  /** The values of `acr` any of which the sign-in must have; absent: any. */
  readonly essentialAcr?: readonly string[];
  /** Claims asked for one by one. */
  readonly claims?: ClaimsRequest;
  /** Thumbprint of the key that the code is for (RFC 9449 §10). */
  readonly dpopKey?: string;
  /** True: the client asked for `offline_access`, so that what it is granted outlives the session. */
  readonly offlineAccess?: boolean;
  /** The device that waits for it; absent: the client gets its answer at the redirect URI. */
  readonly device?: AwaitingDevice;
}

/** Which device waits for a sign-in (RFC 8628 §3.3). */
export interface AwaitingDevice {
  /** Of the device code. */
  readonly digest: string;
  /** The user code as the page shows it, sealed under the account's data key. */
  readonly sealedUserCode: string;
}

/** Claims by name, each with the values any of which would do; null: whatever it is (OpenID Connect Core §5.5.1). */
export type AskedClaims = Readonly<Record<string, readonly unknown[] | null>>;

/** Where claims are asked for one by one. */
export interface ClaimsRequest {
  readonly idToken: AskedClaims;
  readonly userinfo: AskedClaims;
}

/** An authorization request that a client sent ahead: used once, by that client. */
export interface PushedRequestRecord {
  readonly accountId: number;
  readonly digest: string;
  readonly appId: number;
  /** As sent, by name. */
  readonly parameters: Readonly<Record<string, string>>;
  readonly expiresAt: Milliseconds;
}

/** What a user allowed an app. */
export interface ConsentRecord {
  readonly appId: number;
  readonly scope: readonly string[];
  readonly allowedAt: Milliseconds;
}

/** A sign-in in progress, bound to one browser. */
export interface AuthorizationRequestRecord {
  readonly accountId: number;
  readonly digest: string;
  readonly browserDigest: string;
  /** Null: to the account pages, which are no app. */
  readonly appId: number | null;
  readonly parameters: AuthorizationParameters;
  /** When the user signed in for this request; null until then. */
  readonly authenticatedAt: Milliseconds | null;
  /** Names the session that they got by it, which is that user's alone; null also where an older release signed them in. */
  readonly sid: string | null;
  /** What the user decided on the consent page; null until then. */
  readonly decision: 'allow' | 'deny' | null;
  /** Whose decision it was: it counts for no other user of the browser. */
  readonly decidedBy: number | null;
  /** Who gave the right password for this request and has something else to do before they are signed in. */
  readonly passwordUserId: number | null;
  /** When they gave it. */
  readonly passwordCheckedAt: Milliseconds | null;
  /** The policy that a hook chose for this sign-in; null: none. */
  readonly hookPolicyId: number | null;
  /** Whose sign-in it was chosen for: it counts for no other user of the browser. */
  readonly hookPolicyUserId: number | null;
  /** What is remembered of this sign-in once it succeeds, for the risk of later ones; null: nothing. */
  readonly hookTraits: SignInTraitsRecord | null;
  /** How they have shown who they are until now, as the session will say it; null without a password. */
  readonly methods: readonly string[] | null;
  readonly createdAt: Milliseconds;
  readonly expiresAt: Milliseconds;
}

/** A kind of second factor: time-based one-time codes of an authenticator app (RFC 6238), or a passkey (WebAuthn Level 3). */
export type FactorKind = 'totp' | 'passkey';

/** What a user has beside the password. It counts once it is accepted. */
export interface FactorDeviceRecord {
  readonly accountId: number;
  readonly id: number;
  readonly userId: number;
  readonly kind: FactorKind;
  /** As its user knows it. */
  readonly name: string;
  /** Names its registration; a UUID. */
  readonly registrationId: string;
  /** Its seed, sealed under the account's data key; of a passkey, the public key, so that nobody puts another in its place. */
  readonly sealedSecret: string;
  /** The newest time step of which a code was taken; none of it or of an older one is taken again. -1 before the first, and of a passkey. */
  readonly lastStep: number;
  readonly lastUsedAt: Milliseconds | null;
  readonly createdAt: Milliseconds;
  /** Until when it can be accepted; null once it is. */
  readonly expiresAt: Milliseconds | null;
  readonly acceptedAt: Milliseconds | null;
}

/** What is kept of a passkey beside the device that it is. */
export interface PasskeyRecord {
  readonly accountId: number;
  readonly deviceId: number;
  /** Base64url; unique in the account. */
  readonly credentialId: string;
  /** As the authenticator said last; 0 where it does not count. */
  readonly counter: number;
  /** How it is reached, as the browser said. */
  readonly transports: readonly string[];
  /** It may be on several devices; never changes. */
  readonly backupEligible: boolean;
  readonly backedUp: boolean;
}

/** A passkey with its device. */
export interface StoredPasskey {
  readonly device: FactorDeviceRecord;
  readonly passkey: PasskeyRecord;
}

/** Asks, over the management API, for a code of a device. */
export interface FactorVerificationRecord {
  readonly accountId: number;
  /** A UUID. */
  readonly id: string;
  readonly userId: number;
  readonly deviceId: number;
  readonly createdAt: Milliseconds;
  readonly expiresAt: Milliseconds;
  readonly acceptedAt: Milliseconds | null;
}

/** An authorization code: used once, for the client, redirect URI and verifier it was made for. */
export interface CodeRecord {
  readonly accountId: number;
  readonly digest: string;
  readonly appId: number;
  readonly userId: number;
  readonly sid: string;
  readonly amr: readonly string[];
  readonly authenticatedAt: Milliseconds;
  readonly parameters: AuthorizationParameters;
  /** When the user approved it; null where an older release made it. */
  readonly createdAt: Milliseconds | null;
  readonly expiresAt: Milliseconds;
  readonly usedAt: Milliseconds | null;
  /** The grant its use made: revoked when the code is presented again. */
  readonly grantId: number | null;
}

/** What a device waits for (RFC 8628 §3.2): a decision that a user makes in a browser elsewhere. */
export interface DeviceCodeRecord {
  readonly accountId: number;
  /** Of the device code. */
  readonly digest: string;
  /** Of what the user types: keyed, since it is short. */
  readonly userCodeDigest: string;
  readonly appId: number;
  readonly scope: readonly string[];
  /** The one API authorization server that it is for; null: any that the client is linked to. */
  readonly serverId: number | null;
  /** How long the device waits between two questions; grows when it does not. */
  readonly intervalSeconds: number;
  /** Before then a question is too early. */
  readonly nextPollAt: Milliseconds;
  /** What the user decided; null until then. */
  readonly decision: 'allow' | 'deny' | null;
  readonly userId: number | null;
  /** How the user had shown who they are; null until they allowed it. */
  readonly amr: readonly string[] | null;
  readonly authenticatedAt: Milliseconds | null;
  /** The session in which they decided, and when; null until then, and where an older release kept the decision. */
  readonly sid: string | null;
  readonly decidedAt: Milliseconds | null;
  readonly createdAt: Milliseconds;
  readonly expiresAt: Milliseconds;
}

/** What a user granted a client: one row per family of refresh tokens, updated in place. */
export interface GrantRecord {
  readonly accountId: number;
  readonly id: number;
  readonly appId: number;
  readonly userId: number;
  /** The one API authorization server it is for; null: any that the client is linked to. */
  readonly serverId: number | null;
  readonly sid: string | null;
  readonly scope: readonly string[];
  readonly nonce: string | null;
  readonly amr: readonly string[];
  readonly authenticatedAt: Milliseconds;
  /** Digest of the live refresh token; null when the client has no `refresh_token` grant. */
  readonly currentDigest: string | null;
  /** Digest of its direct predecessor. */
  readonly previousDigest: string | null;
  /** What the live token was derived with from its predecessor. */
  readonly successorSalt: string | null;
  readonly rotatedAt: Milliseconds | null;
  /** How often it rotated. */
  readonly generation: number;
  readonly idleExpiresAt: Milliseconds;
  readonly absoluteExpiresAt: Milliseconds;
  readonly revokedAt: Milliseconds | null;
  readonly revokedBecause: string | null;
  readonly createdAt: Milliseconds;
}

/** An access token of a user or of a client, opaque or a JWT: what decides whether it is active. */
export interface AccessTokenRecord {
  readonly accountId: number;
  readonly id: number;
  readonly digest: string;
  /** Null for client credentials. */
  readonly grantId: number | null;
  readonly appId: number;
  readonly userId: number | null;
  readonly scope: readonly string[];
  readonly issuedAt: Milliseconds;
  readonly expiresAt: Milliseconds;
  readonly revokedAt: Milliseconds | null;
}

/** Something that happened in an account, in its place in the account's chain. Never changed, never deleted. */
export interface EventRecord {
  readonly accountId: number;
  /** Counts the account's events: 1, 2, 3 … without a gap. */
  readonly id: number;
  readonly at: Milliseconds;
  readonly action: string;
  readonly outcome: 'success' | 'refused';
  readonly actorType: string;
  /** Null for the command line, for the service itself, and for somebody who did not show who they are. */
  readonly actorId: number | null;
  readonly targetType: string;
  readonly targetId: number | null;
  /** Address the request came from; null when there was no request. */
  readonly source: string | null;
  readonly requestId: string | null;
  /** What there is to say beyond that, as JSON text; kept as text, for the hash is over its bytes. */
  readonly detail: string;
  /** Over all of the above and the hash of the event before. */
  readonly hash: string;
}

/** A link with which a user chooses a password. */
export interface InviteLinkRecord {
  readonly accountId: number;
  readonly userId: number;
  readonly digest: string;
  readonly createdAt: Milliseconds;
  readonly expiresAt: Milliseconds;
  readonly usedAt: Milliseconds | null;
  /** Of the user when the link was made: with another one it works no more. */
  readonly meansVersion: number;
}

/** What a message to a user tells of. */
export type MeansChange =
  | 'email'
  | 'username'
  | 'password'
  | 'app_added'
  | 'app_removed'
  | 'passkey_added'
  | 'passkey_removed'
  | 'recovery_codes';

/** A message that says how a user signs in was changed; kept until it was sent or given up. */
export interface ChangeNoticeRecord {
  readonly accountId: number;
  readonly id: number;
  /** That it goes to: of the user before the change, or after it. */
  readonly address: string;
  readonly changes: readonly MeansChange[];
  readonly changedAt: Milliseconds;
  readonly attempts: number;
  readonly dueAt: Milliseconds;
}

/** Somebody asked for a link with which the user of a name chooses a new password; kept until it was sent or given up. */
export interface ResetRequestRecord {
  readonly accountId: number;
  readonly id: number;
  /** What was typed, sealed. */
  readonly sealedName: string;
  /** Address that it came from, and the request that asked. */
  readonly source: string | null;
  readonly requestId: string | null;
  /** How often it was tried. */
  readonly attempts: number;
  readonly createdAt: Milliseconds;
  readonly dueAt: Milliseconds;
}

/** What is counted and not told one by one. `call.<operationId>` is a call made with an API key. */
export type CountKind =
  | 'refresh'
  | 'introspection'
  | 'client_credentials'
  | 'credential_token'
  | 'authorization_code'
  | 'implicit'
  | 'password'
  | 'device_code'
  | 'token_exchange'
  | `call.${string}`;

export interface DailyCountRecord {
  readonly accountId: number;
  /** In UTC, `2026-11-21`. */
  readonly day: string;
  readonly kind: CountKind;
  /** The app; for `credential_token` the credential, for a call the API key. */
  readonly subjectId: number;
  readonly count: number;
  /** When the last of them was; null for a day that was counted before this was kept. */
  readonly lastAt: Milliseconds | null;
}

/** The packages of a hook on their way to a script. */
export interface PackageBuildRecord {
  readonly accountId: number;
  readonly id: number;
  /** Exact versions by the name of the package. */
  readonly packages: Readonly<Record<string, string>>;
  readonly state: 'queued' | 'running' | 'ready' | 'failed';
  /** Of the bundle; null until it is ready. */
  readonly digest: string | null;
  /** In words for the author of the hook; null unless it failed. */
  readonly failure: string | null;
  /** How often a node began with it: who takes it up again outdates whoever had it before. */
  readonly attempts: number;
  /** From when on a node may take it; null when it has ended. */
  readonly dueAt: Milliseconds | null;
  readonly createdAt: Milliseconds;
  readonly updatedAt: Milliseconds;
}

/** What is remembered of a user's sign-ins: digests, country codes, hours and times, each list bounded. */
export interface SignInHistory {
  /** How many there were. */
  readonly count: number;
  /** What was seen, with the time it was seen last, newest first. */
  readonly devices: readonly (readonly [digest: string, at: Milliseconds])[];
  readonly networks: readonly (readonly [digest: string, at: Milliseconds])[];
  readonly countries: readonly (readonly [code: string, at: Milliseconds])[];
  /** Sign-ins by hour of the day in UTC: 24 numbers. */
  readonly hours: readonly number[];
}

export interface SignInHistoryRecord {
  readonly accountId: number;
  readonly userId: number;
  readonly history: SignInHistory;
  readonly updatedAt: Milliseconds;
}

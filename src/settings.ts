/** The names and meanings of what the environment may set; `config.ts` reads them. */

/** A setting as the README shows it. */
export interface Setting {
  readonly fallback: string;
  readonly meaning: string;
}

/** Every setting there is; the README's table is generated from it. */
export const settings = {
  PORT: { fallback: '`3000`', meaning: 'port to listen on' },
  HOST: {
    fallback: '`127.0.0.1`',
    meaning:
      'address to listen on; one that is not loopback needs `PUBLIC_SCHEME=https` with `TRUST_PROXY` set ' +
      '(TLS ends at the proxy), or `INSECURE_HTTP=1`',
  },
  SERVICE_DOMAIN: {
    fallback: '`localhost:<PORT>`',
    meaning: 'base URL of an account: `<PUBLIC_SCHEME>://<subdomain>.<SERVICE_DOMAIN>`',
  },
  PUBLIC_SCHEME: {
    fallback: '`http` on loopback, else `https`',
    meaning: '`http` or `https`: the scheme of every link',
  },
  INSECURE_HTTP: { fallback: '`0`', meaning: '`1` permits plain http on an address that is not loopback' },
  DATABASE_URL: {
    fallback: '`sqlite:data/gatehouse.db`',
    meaning:
      '`sqlite:<file>`, or `postgres://…` (also what speaks its protocol), with one host or several ' +
      '([high availability](docs/scale.md#high-availability))',
  },
  DATABASE_WAIT_MILLISECONDS: {
    fallback: '`900`',
    meaning:
      'how long a request or a command waits for a connection of the database, and for a lock in it, before it fails as ' +
      'unavailable (503); 100 to 60000',
  },
  DATABASE_POOLING: {
    fallback: '`session`',
    meaning:
      'what a connection of PostgreSQL keeps: `session`, or `transaction` behind a pooler that gives each transaction ' +
      'any connection of the server ([poolers](docs/operations.md#poolers)); SQLite has no connections to share',
  },
  MASTER_KEY_FILE: {
    fallback: '`data/master.key`',
    meaning:
      'key that seals secrets at rest, created with mode 0600 on the first start of an empty database; ' +
      'without it a database with data does not start',
  },
  TRUST_PROXY: {
    fallback: 'none',
    meaning:
      'addresses and networks (`10.0.0.0/8`), separated by commas, whose `X-Forwarded-For` and `-Proto` are trusted',
  },
  HOOK_RUNTIMES: {
    fallback: '`jsruntime12.x`',
    meaning:
      'runtime identifiers that hooks may name, separated by commas; the first is the default. An identifier alone is the ' +
      'Node that runs the service; `jsruntime24.x=/opt/node26/bin/node` is another one, of major version 24 or 26',
  },
  HOOK_EGRESS: {
    fallback: '`public`',
    meaning:
      'where `fetch` in hooks may go: `public` (https on port 443 to public addresses), `none`, or hosts separated by ' +
      'commas (`api.example.com`, `http://10.0.0.5:8080`), which may be in private networks and may include `public`',
  },
  EGRESS: {
    fallback: '`public`',
    meaning: 'the same values, for what the service itself fetches from addresses that clients registered',
  },
  NPM_REGISTRY: {
    fallback: "npm's own configuration",
    meaning:
      'where packages of hooks come from: the URL of a registry that can be read without credentials; `none` refuses ' +
      'packages. Unset, the `registry` of `.npmrc` here or in the home folder, else the public one',
  },
  HOOK_PACKAGES: {
    fallback: '`confined`',
    meaning:
      'what happens to packages of hooks where the system cannot confine the processes that build them: `confined` ' +
      'refuses packages, `unconfined` builds them anyway. `gatehouse doctor` says what is missing',
  },
  GEOIP_DATABASE: {
    fallback: 'a file of countries (`@ip-location-db/geo-whois-asn-country-mmdb`)',
    meaning: "file in MaxMind's format by which hooks learn the country of an address",
  },
  SMTP_URL: {
    fallback: 'none: messages are written to files in `mail/` beside the master key',
    meaning:
      'mail server for messages to users: `smtp://user:password@host:587` (with STARTTLS, which a server elsewhere must ' +
      'offer) or `smtps://…:465`; user and password percent-encoded, or left out',
  },
  MAIL_FROM: {
    fallback: '`no-reply@<host of SERVICE_DOMAIN>`',
    meaning: 'sender of these messages: an address, or `Name <address>`',
  },
  LOG_LEVEL: { fallback: '`info`', meaning: '`debug`, `info`, `warn` or `error`; JSON lines on stdout' },
  METRICS_TOKEN: {
    fallback: 'none',
    meaning:
      'bearer token (16 to 256 characters) for `/metrics` and for the details of `/readyz`; without it both need a ' +
      'loopback peer and a request that no proxy forwarded',
  },
  OTEL_EXPORTER_OTLP_ENDPOINT: {
    fallback: 'none: no traces',
    meaning:
      'collector that gets traces (OTLP over HTTP), such as `http://127.0.0.1:4318`; needs packages that are not installed ' +
      'by default ([traces](docs/operations.md#traces))',
  },
  OTEL_TRACES_SAMPLER_ARG: {
    fallback: '`1`',
    meaning: 'which share of the traces that begin here is recorded, from 0 to 1: `0.01` is one request in a hundred',
  },
  DRAIN_SECONDS: {
    fallback: '`2`',
    meaning:
      'how long after SIGTERM requests are still served while `/readyz` answers 503: longer than a balancer takes to ' +
      'notice (interval × failures + 1); 0 to 300. SIGINT does not wait',
  },
  START_PAGE: {
    fallback: '`account`',
    meaning: 'where `/` leads: `account` (the pages of the signed-in user, or the sign-in) or `docs`',
  },
} as const satisfies Record<string, Setting>;

export type SettingName = keyof typeof settings;

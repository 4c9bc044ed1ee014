/** What `DATABASE_URL` may be: `sqlite:<file>`, or `postgres://…` with one host or, as libpq has it, with several. */

/** What a wrong one is told. */
export const databaseUrlForm =
  'sqlite:<file> or postgres://…, where several hosts (db1:5432,db2:5432) mean the one that takes writes; ' +
  'target_session_attrs is read-write or, with one host, any';

/** One host of a database, and the URL of the database there, for the driver. */
export interface DatabaseHost {
  /** As the URL has it: `db1:5432`. */
  readonly name: string;
  readonly url: string;
}

export interface PostgresAddress {
  readonly hosts: readonly [DatabaseHost, ...DatabaseHost[]];
  /** Only a host that takes writes will do. Otherwise there is one host, and it will do as it is. */
  readonly mustWrite: boolean;
}

/** Null for PostgreSQL. */
export function sqliteFileOf(url: string): string | null {
  return url.startsWith('sqlite:') ? url.slice('sqlite:'.length) : null;
}

const mostHosts = 16;

/** Scheme, user and password with their `@`, hosts, path, and query. A fragment means nothing. */
const parts = /^(postgres(?:ql)?:\/\/)([^/?#]*@)?([^/?#@]*)([^?#]*)(?:\?([^#]*))?(?:#.*)?$/s;

/** A name, an IPv4 address, or an IPv6 address in brackets; and a port. */
const hostForm = /^(?:[A-Za-z0-9](?:[A-Za-z0-9._-]{0,251}[A-Za-z0-9])?|\[[0-9A-Fa-f:.]{2,45}\])(?::(\d{1,5}))?$/;

/** Null for what is no URL of PostgreSQL. */
export function readPostgresUrl(text: string): PostgresAddress | null {
  const [, scheme = '', user = '', authority = '', path = '', query = ''] = parts.exec(text) ?? [];
  const parameters = new URLSearchParams(query);
  const targets = parameters.getAll('target_session_attrs');
  const names = authority.split(',');
  if (scheme === '' || !isTarget(targets, names.length)) return null;
  // The driver would look for a host whose name is the list.
  if (parameters.get('host')?.includes(',') || parameters.get('port')?.includes(',')) return null;
  if (names.length === 1 && targets.length === 0) {
    return URL.canParse(text) ? { hosts: [{ name: authority, url: text }], mustWrite: false } : null;
  }
  if (names.length > 1 && !areHosts(names, parameters)) return null;
  parameters.delete('target_session_attrs');
  const rest = parameters.size === 0 ? path : `${path}?${parameters}`;
  const [first, ...others] = names.map((name) => ({ name, url: `${scheme}${user}${name}${rest}` }));
  if (!first || ![first, ...others].every(({ url }) => URL.canParse(url))) return null;
  return { hosts: [first, ...others], mustWrite: names.length > 1 || targets[0] === 'read-write' };
}

/** With several hosts, any of them would mean writing to one that only reads. */
function isTarget(targets: readonly string[], hosts: number): boolean {
  if (targets.length > 1) return false;
  return targets.every((target) => target === 'read-write' || (target === 'any' && hosts === 1));
}

/** The list of hosts is in one place, and each of them has a form that is its own only. */
function areHosts(names: readonly string[], parameters: URLSearchParams): boolean {
  if (names.length > mostHosts || parameters.has('host') || parameters.has('port')) return false;
  return names.every((name) => {
    const [found, port = '5432'] = hostForm.exec(name) ?? [];
    return found !== undefined && Number(port) >= 1 && Number(port) <= 65_535;
  });
}

export function isDatabaseUrl(text: string): boolean {
  if (text.startsWith('sqlite:')) return text.length > 'sqlite:'.length;
  return readPostgresUrl(text) !== null;
}

/** For people: without user, password, and parameters. */
export function withoutSecrets(databaseUrl: string): string {
  const [, scheme, , authority = '', path = ''] = parts.exec(databaseUrl) ?? [];
  return scheme === undefined ? databaseUrl : `postgres://${authority}${path}`;
}

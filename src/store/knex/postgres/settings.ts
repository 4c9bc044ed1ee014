/** The settings that statements run under: as SQL for a session, for a transaction, and for a single statement. */

/** Times are in milliseconds; 0 is no limit. */
export interface Settings {
  readonly statementTimeout: number;
  readonly lockTimeout: number;
  readonly idleInTransactionTimeout: number;
  /** Whether everything that writes is refused. */
  readonly isReadOnly: boolean;
}

function named({ statementTimeout, lockTimeout, idleInTransactionTimeout }: Settings): [string, string | number][] {
  return [
    ['synchronous_commit', 'on'],
    ['statement_timeout', statementTimeout],
    ['lock_timeout', lockTimeout],
    ['idle_in_transaction_session_timeout', idleInTransactionTimeout],
  ];
}

/** What gives a session these settings, for all its transactions. */
export function forSession(settings: Settings): string {
  const sets = named(settings).map(([name, value]) => `set ${name} to ${value}`);
  return [
    ...sets,
    "set default_transaction_isolation to 'read committed'",
    ...(settings.isReadOnly ? ['set default_transaction_read_only to on'] : []),
  ].join('; ');
}

/** What begins a transaction with these settings, whatever the session has. */
export function forTransaction(settings: Settings): string {
  const sets = named(settings).map(([name, value]) => `set local ${name} to ${value}`);
  // Without `read write` otherwise, which a replica refuses.
  const access = settings.isReadOnly ? ' read only' : '';
  return [`begin isolation level read committed${access}`, ...sets].join('; ');
}

/** A statement without rows and parameters; one that is sent with it runs under these settings. */
export function forStatement(settings: Settings): string {
  const wanted = named(settings).filter(([name]) => name !== 'idle_in_transaction_session_timeout');
  if (settings.isReadOnly) wanted.push(['transaction_read_only', 'on']);
  const sets = wanted.map(([name, value]) => `set_config('${name}', '${value}', true) is null`);
  return `select 1 where ${sets.join(' or ')}`;
}

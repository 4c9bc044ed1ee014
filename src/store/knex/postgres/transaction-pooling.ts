/**
 * Connections through a pooler that gives each transaction any connection of the server. Nothing of a session is relied
 * on: settings come with each transaction and end with it. Prepared statements are no more than a cache: their names
 * are digests of their texts, and one that is not where it is looked for is prepared again (statements.ts).
 */

import { createHash } from 'node:crypto';
import pg from 'pg';
import { isOutdated } from '../errors.ts';
import { forSession, forStatement, forTransaction, type Settings } from './settings.ts';

/** SQL that gives the transactions of each such connection their settings. */
const carried = new WeakMap<pg.Client, { readonly begin: string; readonly before: string }>();

type Callback = (error: Error | null, result: pg.QueryResult) => void;

/** Parts of the driver's queries, and of its connection, that its types leave out or describe otherwise. */
interface DriverQuery {
  readonly text: string;
  name: string | undefined;
  requiresPreparation(): boolean;
  hasBeenParsed(connection: Wire): unknown;
  submit(connection: Wire): Error | null;
  handleCommandComplete(message: unknown, connection: Wire): void;
  handleError(error: unknown, connection: Wire): void;
}

interface Wire {
  readonly stream: { cork(): void; uncork(): void };
  /** What this client has prepared, by name. */
  readonly parsedStatements: Record<string, string>;
  query(text: string): void;
  parse(statement: { readonly text: string }): void;
  bind(values: object): void;
  execute(portal: object): void;
  close(what: { readonly type: 'S'; readonly name: string }): void;
}

const DriverQuery = pg.Query as unknown as new (config: unknown, values: unknown, callback: Callback) => DriverQuery;

const begin = /^\s*begin\s*;?\s*$/i;

/** No statement of that name, or an outdated one: found before anything is done. */
export function isStale(error: unknown): boolean {
  return (error instanceof Error && 'code' in error && error.code === '26000') || isOutdated(error);
}

/**
 * A query that brings the settings along. At the beginning of a transaction they are part of its text. With a single
 * statement they are another one before it: sent together, the two are one transaction, and nothing waits in between.
 */
class CarryingQuery extends DriverQuery {
  readonly #client: pg.Client;
  #isAlone = false;
  /** How many of the statements have ended. */
  #ended = 0;

  constructor(client: pg.Client, config: unknown, values: unknown, callback: Callback) {
    super(config, values, callback);
    this.#client = client;
  }

  override requiresPreparation(): boolean {
    return this.#isAlone || super.requiresPreparation();
  }

  override submit(connection: Wire): Error | null {
    const sql = carried.get(this.#client);
    if (!sql || this.#client.getTransactionStatus() !== 'I') {
      // What a missing name would end could not be done again.
      this.name = undefined;
      return super.submit(connection);
    }
    if (begin.test(this.text)) {
      connection.query(sql.begin);
      return null;
    }
    this.#isAlone = true;
    connection.stream.cork();
    try {
      connection.parse({ text: sql.before });
      connection.bind({});
      connection.execute({});
      // Another client may have prepared it there. That there is none is no error.
      if (this.name && !this.hasBeenParsed(connection)) connection.close({ type: 'S', name: this.name });
      return super.submit(connection);
    } finally {
      connection.stream.uncork();
    }
  }

  /** The caller gets the answer to its own statement: the second one, or the first where a transaction begins. */
  override handleCommandComplete(message: unknown, connection: Wire): void {
    this.#ended += 1;
    if (this.#isAlone ? this.#ended > 1 : this.#ended === 1) super.handleCommandComplete(message, connection);
  }

  override handleError(error: unknown, connection: Wire): void {
    if (this.name && isStale(error)) delete connection.parsedStatements[this.name];
    super.handleError(error, connection);
  }
}

const names = new Map<string, string>();

/** Programs of two releases may share a connection of the server: each text has a name of its own. */
function nameOf(name: string, text: string): string {
  const known = names.get(text);
  if (known !== undefined) return known;
  const own = `${name}-${createHash('sha256').update(text).digest('hex').slice(0, 16)}`;
  names.set(text, own);
  return own;
}

/** Whether transactions of the connection bring their settings along. */
export function isCarrying(connection: pg.Client): boolean {
  return carried.has(connection);
}

/** From now on each transaction of the connection, also that of a single statement, brings these settings along. */
export function carrySettings(connection: pg.Client, settings: Settings): void {
  const isNew = !isCarrying(connection);
  carried.set(connection, { begin: forTransaction(settings), before: forStatement(settings) });
  if (!isNew) return;
  const send = connection.query.bind(connection) as (query: unknown) => unknown;
  const ask = (config: unknown, values: unknown) =>
    new Promise((resolve, reject) => {
      const settle: Callback = (error, result) => (error ? reject(error) : resolve(result));
      send(new CarryingQuery(connection, config, values, settle));
    });
  const query = (config: string | pg.QueryConfig, ...more: unknown[]): unknown => {
    const values = more.find(Array.isArray);
    const callback = more.find((one) => typeof one === 'function') as Callback | undefined;
    if (callback) return send(new CarryingQuery(connection, config, values, callback));
    if (typeof config === 'string' || config.name === undefined) return ask(config, values);
    return ask({ ...config, name: nameOf(config.name, config.text) }, values);
  };
  Object.assign(connection, { query });
}

/** Other settings for a connection of either kind. */
export async function changeSettings(connection: pg.Client, settings: Settings): Promise<void> {
  if (isCarrying(connection)) carrySettings(connection, settings);
  else await connection.query(forSession(settings));
}

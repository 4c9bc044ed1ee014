/**
 * Connections through a pooler that gives each transaction any connection of the server. Nothing of a session is relied
 * on, and nothing is left in one: no statement has a name, and settings come with each transaction and end with it.
 */

import pg from 'pg';
import { forSession, forStatement, forTransaction, type Settings } from './settings.ts';

/** What the transactions of each such connection run under. */
const carried = new WeakMap<pg.Client, Settings>();

type Callback = (error: Error | null, result: pg.QueryResult) => void;

/** Parts of the driver's queries, and of its connection, that its types leave out or describe otherwise. */
interface DriverQuery {
  readonly text: string;
  requiresPreparation(): boolean;
  submit(connection: Wire): Error | null;
  handleCommandComplete(message: unknown, connection: Wire): void;
}

interface Wire {
  readonly stream: { cork(): void; uncork(): void };
  query(text: string): void;
  parse(statement: { readonly text: string }): void;
  bind(values: object): void;
  execute(portal: object): void;
}

const DriverQuery = pg.Query as unknown as new (config: unknown, values: unknown, callback: Callback) => DriverQuery;

const begin = /^\s*begin\s*;?\s*$/i;

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
    const settings = carried.get(this.#client);
    if (!settings || this.#client.getTransactionStatus() !== 'I') return super.submit(connection);
    if (begin.test(this.text)) {
      connection.query(forTransaction(settings));
      return null;
    }
    this.#isAlone = true;
    connection.stream.cork();
    try {
      connection.parse({ text: forStatement(settings) });
      connection.bind({});
      connection.execute({});
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
}

/** A statement with a name would be in the session of one connection of the server, and missing in the others. */
function withoutName(config: unknown): unknown {
  return typeof config === 'object' && config !== null && 'name' in config ? { ...config, name: undefined } : config;
}

/** From now on each transaction of the connection, also that of a single statement, brings these settings along. */
export function carrySettings(connection: pg.Client, settings: Settings): void {
  const isNew = !carried.has(connection);
  carried.set(connection, settings);
  if (!isNew) return;
  const send = connection.query.bind(connection) as (query: unknown) => unknown;
  const query = (config: unknown, ...more: unknown[]): unknown => {
    const values = more.find(Array.isArray);
    const callback = more.find((one) => typeof one === 'function') as Callback | undefined;
    if (callback) return send(new CarryingQuery(connection, withoutName(config), values, callback));
    return new Promise((resolve, reject) => {
      const settle: Callback = (error, result) => (error ? reject(error) : resolve(result));
      send(new CarryingQuery(connection, withoutName(config), values, settle));
    });
  };
  Object.assign(connection, { query });
}

/** Other settings for a connection of either kind. */
export async function changeSettings(connection: pg.Client, settings: Settings): Promise<void> {
  if (carried.has(connection)) carrySettings(connection, settings);
  else await connection.query(forSession(settings));
}

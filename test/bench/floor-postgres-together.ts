/**
 * One prepared statement for all requests of a kind that wait; it is their commit. While it is in the database, the next
 * ones gather, and while signatures wait for a thread, those that will be signed too.
 */

import pg from 'pg';
import { basicOf } from './floor-bodies.ts';
import type { Answered, Asked } from './floor-parts.ts';
import { digestOf } from './peer.ts';

export interface Database {
  /** For what is there before the load. */
  readonly seeding: pg.Client;
  connect(): Promise<pg.Client>;
}

/**
 * Commits are as durable as the server is. Statements are planned while their tables are small, and these grow: no plan
 * reads a whole table.
 */
const options = '-c synchronous_commit=on -c enable_seqscan=off';

export async function openDatabase(connectionString: string | undefined): Promise<Database> {
  const connect = async () => {
    const client = new pg.Client({ connectionString, options });
    await client.connect();
    return client;
  };
  return { seeding: await connect(), connect };
}

/** The values of a row, as PostgreSQL writes them. */
export type Row = readonly (string | null)[];

/**
 * A statement takes a whole batch, and finds rows of tables that grow by their keys, whatever the planner knew of the
 * tables when it was planned.
 */
export interface Statement<Item, Result = Answered, Found = Row> {
  readonly name: string;
  readonly text: string;
  /** Whether rows are objects. */
  readonly isNamed?: boolean;
  readonly values: (batch: readonly Item[]) => unknown[];
  /** What each of the batch gets. */
  readonly judge: (rows: readonly Found[]) => (item: Item, index: number) => Result;
}

/** The client that asks. */
export interface Asking {
  readonly clientId: string;
  readonly secretDigest: string;
}

/** A token is the number of its row and a secret. */
export interface Presented {
  readonly id: string;
  readonly digest: string;
}

export function askingOf(authorization: string | undefined): Asking {
  const [clientId, secret] = basicOf(authorization);
  return { clientId, secretDigest: digestOf(secret) };
}

export function presentedOf(text: string): Presented {
  const [id = '', secret = ''] = text.split('.');
  return { id: String(Number.parseInt(id, 10) || 0), digest: digestOf(secret) };
}

/** The arrays that a statement unnests into its batch. */
export function columnsOf<Item>(batch: readonly Item[], ...names: readonly (keyof Item)[]): unknown[] {
  return names.map((name) => batch.map((item) => item[name]));
}

/** The client of each row by its key; without `offset 0` the plan could be to read all clients, which were few then. */
export const whoAsks = `cross join lateral (select id from clients c
  where c.client_id = g.client_id and c.secret_digest = g.secret_digest offset 0) c`;

/** Few enough that they are signed while the next batch is in the database. */
const fewSignatures = 4;

/** Counts the answers that wait for a signature. */
export function openSigning() {
  const held: (() => void)[] = [];
  let waiting = 0;
  return {
    isBusy: () => waiting > fewSignatures,
    /** Calls it whenever an answer was signed. */
    hold: (go: () => void) => void held.push(go),
    /** An answer that is to be signed. */
    until: (reply: Asked['reply']): Asked['reply'] => {
      waiting += 1;
      return (answered) => {
        waiting -= 1;
        reply(answered);
        for (const go of held) go();
      };
    },
  };
}

export type Signing = ReturnType<typeof openSigning>;

/**
 * Sends the statement for all that wait, and then for those that came meanwhile; `signing`: unless that is busy. Each
 * statement has a connection, so that kinds of requests do not wait for each other.
 */
export function together<Item, Result, Found>(
  { connect }: Database,
  { name, text, isNamed = false, values, judge }: Statement<Item, Result, Found>,
  signing?: Signing,
): (item: Item, done: (result: Result) => void) => void {
  let waiting: { readonly item: Item; readonly done: (result: Result) => void }[] = [];
  let isUnderWay = false;
  let client: pg.Client | undefined;

  function begin(): void {
    if (isUnderWay || waiting.length === 0 || signing?.isBusy()) return;
    isUnderWay = true;
    setImmediate(() => void run());
  }

  async function run(): Promise<void> {
    client ??= await connect();
    const batch = waiting;
    waiting = [];
    const asked = { name, text, values: values(batch.map(({ item }) => item)) };
    const { rows } = await (isNamed ? client.query(asked) : client.query({ ...asked, rowMode: 'array' }));
    const resultOf = judge(rows as Found[]);
    for (const [index, { item, done }] of batch.entries()) done(resultOf(item, index));
    isUnderWay = false;
    begin();
  }

  signing?.hold(begin);
  return (item, done) => {
    waiting.push({ item, done });
    begin();
  };
}

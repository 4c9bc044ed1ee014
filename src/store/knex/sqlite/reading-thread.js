// What a thread of reading.ts runs: one statement at a time, on a connection that cannot write. JavaScript, because
// what strips the types of the others would take 16 MB of memory in each thread.

import { readlinkSync } from 'node:fs';
import { getPriority, setPriority } from 'node:os';
import { parentPort, workerData } from 'node:worker_threads';
import Sqlite from 'better-sqlite3';

/** Preparing a statement costs as much as reading a page. */
const mostPrepared = 200;

/** In steps of `nice`: the event loop goes first where both want the same core. */
const stepsBehind = 5;

const prepared = new Map();
let connection;

// A priority is a thread's own on Linux alone.
if (process.platform === 'linux') {
  const [thread] = readlinkSync('/proc/thread-self').split('/').reverse();
  setPriority(Number(thread), Math.min(getPriority() + stepsBehind, 19));
}

function open() {
  const { filename, patienceMilliseconds } = workerData;
  const opened = new Sqlite(filename, { readonly: true, fileMustExist: true, timeout: patienceMilliseconds });
  opened.pragma('query_only = on');
  return opened;
}

function prepare(sql) {
  connection ??= open();
  const known = prepared.get(sql);
  if (known) return known;
  if (prepared.size >= mostPrepared) prepared.clear();
  const statement = connection.prepare(sql);
  const columns = statement.columns().map(({ name }) => name);
  // Rows without the names of their columns are sent in half the time.
  const one = { statement: statement.raw(), columns };
  prepared.set(sql, one);
  return one;
}

parentPort?.on('message', ({ sql, bindings }) => {
  try {
    const { statement, columns } = prepare(sql);
    parentPort?.postMessage({ columns, rows: statement.all(bindings) });
  } catch ({ name, message, code }) {
    // Of an error that is sent as it is, the code would be lost.
    parentPort?.postMessage({ error: { name, message, code } });
  }
});

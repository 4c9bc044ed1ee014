/**
 * A leader and its standbys on loopback, each a PostgreSQL of its own, and what an operator or a tool like Patroni does
 * to them: promote a standby, bring a lost server back, change over on purpose.
 */

import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { appendFileSync, chownSync, existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { backUp, initialise, openFolder, type ServerFolder, startArguments } from './postgres.ts';
import { freePort } from './process.ts';
import { until } from './until.ts';

export interface Replicas {
  /** `postgres://` URL of a superuser with all hosts, the first leader last. */
  readonly url: string;
  /** Of one server each, the first leader first. */
  readonly urls: readonly string[];
  /** Which server takes writes, or was the last to. */
  leader(): number;
  /** Ends the leader as a lost machine does: SIGKILL to all its processes at once. */
  lose(): Promise<void>;
  /** Lets the standby that has received most take writes, and all others follow it. */
  promote(): Promise<void>;
  /** Makes a server that is down a standby: from a copy of the leader, or from its own data where nothing is lost. */
  bringBack(index: number, from: 'copy' | 'own data'): Promise<void>;
  /** Stops the leader when its standbys have everything, and lets one of them take writes. */
  changeOver(): Promise<void>;
  /** Stops a server, in an orderly way. */
  halt(index: number): Promise<void>;
  /** Waits until every other server follows the leader. */
  allFollow(): Promise<void>;
  stop(): Promise<void>;
}

interface Member {
  readonly opened: ServerFolder;
  readonly data: string;
  readonly name: string;
  readonly port: number;
  readonly url: string;
}

/** A standby asks again at once, and the leader keeps what it has not got yet. */
const settings = `
wal_retrieve_retry_interval = 100ms
wal_keep_size = 128MB
max_wal_size = 128MB
min_wal_size = 32MB
`;

/** So many servers; where commits are synchronous, each waits until one standby has it. */
export async function startReplicas(
  count: number,
  { synchronous }: { readonly synchronous: boolean },
): Promise<Replicas> {
  const password = randomBytes(16).toString('hex');
  const members: Member[] = [];
  while (members.length < count) members.push(await openMember(members.length, password));
  const [first] = members as [Member];
  let leader = 0;

  const member = (index: number) => members[index] as Member; // There is one.
  const standbys = () => members.filter((one, index) => index !== leader && isUp(one));

  async function follow(standby: Member): Promise<void> {
    await ask(standby.url, `alter system set primary_conninfo = ${addressOf(member(leader), standby)}`);
    await ask(standby.url, 'select pg_reload_conf()');
  }

  async function promote(): Promise<void> {
    const received = await Promise.all(standbys().map(async (one) => ({ one, end: await receivedBy(one) })));
    const best = received.reduce((most, next) => (next.end > most.end ? next : most)).one;
    leader = members.indexOf(best);
    await Promise.all([ask(best.url, 'select pg_promote(true, 60)'), ...standbys().map(follow)]);
  }

  async function bringBack(index: number, from: 'copy' | 'own data'): Promise<void> {
    const joining = member(index);
    if (from === 'copy') {
      rmSync(joining.data, { recursive: true, force: true });
      await backUp(member(leader).url, joining.data);
    }
    for (const [file, text] of [
      ['standby.signal', ''],
      ['postgresql.auto.conf', `primary_conninfo = ${addressOf(member(leader), joining)}\n`],
    ] as const) {
      appendFileSync(at(joining, file), text);
      own(joining, file);
    }
    await start(joining);
  }

  async function halt(index: number): Promise<void> {
    await member(index).opened.tools.runLater('pg_ctl', [
      'stop',
      '--wait',
      '--mode=fast',
      `--pgdata=${member(index).data}`,
    ]);
  }

  initialise(first.opened.tools, first.opened.folder, password, first.opened.user);
  appendFileSync(at(first, 'postgresql.conf'), settings);
  await start(first);
  if (synchronous) {
    const names = members.map(({ name }) => name).join(', ');
    await ask(first.url, `alter system set synchronous_standby_names = 'ANY 1 (${names})'`);
    await ask(first.url, 'select pg_reload_conf()');
  }
  await Promise.all(members.slice(1).map((_, index) => bringBack(index + 1, 'copy')));

  return {
    url: `postgres://postgres:${password}@${members
      .map(({ port }) => `127.0.0.1:${port}`)
      .reverse()
      .join(',')}/postgres`,
    urls: members.map(({ url }) => url),
    leader: () => leader,
    lose: () => kill(member(leader)),
    promote,
    bringBack,
    changeOver: async () => {
      // What is not on disk yet would be written while nobody is served.
      await ask(member(leader).url, 'checkpoint');
      await halt(leader);
      await promote();
    },
    halt,
    allFollow: () =>
      until(async () => {
        const [row] = await ask(
          member(leader).url,
          "select count(*)::int from pg_stat_replication where state = 'streaming'",
        );
        return row?.['count'] === count - 1;
      }),
    stop: async () => {
      await Promise.all(members.map(({ opened }) => opened.stop()));
    },
  };
}

async function openMember(index: number, password: string): Promise<Member> {
  const opened = openFolder();
  const port = await freePort();
  const url = `postgres://postgres:${password}@127.0.0.1:${port}/postgres`;
  return { opened, data: join(opened.folder, 'data'), name: `s${index}`, port, url };
}

const at = ({ data }: Member, file: string) => join(data, file);

function own({ opened: { user }, ...member }: Member, file: string): void {
  const path = join(member.data, file);
  if (user.uid !== undefined && user.gid !== undefined) chownSync(path, user.uid, user.gid);
}

/** For `primary_conninfo`; the standby goes by its name there. */
function addressOf(leader: Member, { name }: Member): string {
  const { username, password, hostname, port } = new URL(leader.url);
  return `'host=${hostname} port=${port} user=${username} password=${password} application_name=${name}'`;
}

function start({ opened: { tools, folder }, port }: Member): Promise<void> {
  return tools.runLater('pg_ctl', startArguments(folder, port));
}

function isUp(member: Member): boolean {
  return existsSync(at(member, 'postmaster.pid')) && processesOf(member).length > 0;
}

/** How far the log is that a standby has, as a number of bytes. */
async function receivedBy({ url }: Member): Promise<number> {
  const received = 'greatest(pg_last_wal_receive_lsn(), pg_last_wal_replay_lsn())';
  const [row] = await ask(url, `select pg_wal_lsn_diff(${received}, '0/0')::float8 as bytes`);
  return Number(row?.['bytes']);
}

/** Its first process, then those that this one started; what has ended and waits to be noticed is none. */
function processesOf(member: Member): number[] {
  const first = Number(readFileSync(at(member, 'postmaster.pid'), 'utf8').split('\n', 1)[0]);
  const all = readdirSync('/proc').flatMap((name) => {
    if (!/^\d+$/.test(name)) return [];
    const [state, parent] = stateOf(Number(name));
    return state === 'gone' ? [] : [{ id: Number(name), parent }];
  });
  return all.filter(({ id, parent }) => id === first || parent === first).map(({ id }) => id);
}

function stateOf(id: number): readonly [string, number] {
  try {
    const text = readFileSync(`/proc/${id}/stat`, 'utf8');
    const [state = '', parent] = text.slice(text.lastIndexOf(')') + 2).split(' ');
    return [/[ZX]/.test(state) ? 'gone' : state, Number(parent)];
  } catch {
    return ['gone', 0];
  }
}

async function kill(member: Member): Promise<void> {
  const ids = processesOf(member);
  const [segment] = /(?<=^ *\d+ +)\d+$/m.exec(readFileSync(at(member, 'postmaster.pid'), 'utf8')) ?? [];
  for (const id of ids) {
    try {
      process.kill(id, 'SIGKILL');
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
    }
  }
  await until(async () => ids.every((id) => stateOf(id)[0] === 'gone'));
  // What a machine forgets that is lost: a few bytes of shared memory, which nobody would free.
  if (segment !== undefined) spawnSync('ipcrm', ['-m', segment]);
}

async function ask(url: string, statement: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: url });
  client.on('error', () => {});
  await client.connect();
  try {
    return (await client.query(statement)).rows;
  } finally {
    await client.end();
  }
}

import type { Command } from 'commander';
import { createKeyFile } from '../adapters/key-file.ts';
import { systemRandom } from '../adapters/random.ts';
import { type CopiedDatabase, copyDatabase } from '../domain/database-copy/copy-database.ts';
import { Failure } from '../domain/failure.ts';
import { inspectMasterKey } from '../domain/keys/master-key.ts';
import { createVault } from '../domain/keys/vault.ts';
import { waysOf } from '../open-store.ts';
import type { Vault } from '../services.ts';
import { databaseUrlForm, isDatabaseUrl, withoutSecrets } from '../store/database-url.ts';
import { openStore, requireKnown, withoutWriters } from '../store/knex/index.ts';
import type { Store } from '../store/store.ts';
import { type Answer, addCommand, type Outlet } from './command.ts';
import { readSettings } from './invocation.ts';
import { fields, table } from './output.ts';
import { withProgress } from './progress.ts';
import { closing } from './session.ts';

/** Which of the two databases. */
type Side = 'from' | 'to';

const explanation = `
Databases are named as in DATABASE_URL: sqlite:<path> or postgres://<user>@<host>/<database>; the environment variable
PGPASSWORD keeps a password out of the list of processes. Stop the service before. The target must be empty: it gets
the tables of this release. An interrupted copy continues when the command is run again. Both databases are compared
row by row at the end, and the audit trails verified; the master key stays the same.`;

export function addCopyCommand(group: Command, outlet: Outlet): void {
  addCommand<{ json?: true }>(
    group,
    'copy <from> <to>',
    'copy everything into an empty database of either kind',
    outlet,
    async ({ args, options }) => {
      const [from, to] = args as [string, string];
      for (const [name, url] of Object.entries({ from, to })) requireUrl(name, url);
      if (from === to)
        throw new Failure('value_invalid', { name: 'to', message: 'to is the same database as from; name a new one' });
      await inStore('from', from, requireReady);
      const copied = await withoutWriters(from, ({ confirm }) =>
        inStore('from', from, (source) =>
          inStore('to', to, async (target) => {
            if ((await target.status()).applied.length === 0) await target.migrate();
            await requireReady(target);
            const vault = await vaultOf(source);
            return withProgress({ json: options.json === true }, (report) =>
              copyDatabase({ source, target, vault, report, confirm }),
            );
          }),
        ),
      );
      return answerOf(copied);
    },
  ).addHelpText('after', explanation);
}

function requireUrl(name: string, url: string): void {
  if (!isDatabaseUrl(url)) throw new Failure('value_invalid', { name, message: `${name} must be ${databaseUrlForm}` });
}

async function inStore<Result>(name: Side, url: string, work: (store: Store) => Promise<Result>): Promise<Result> {
  return closing(await openNamed(name, url), work);
}

/** Throws `unavailable` with the address of a database that does not answer. */
async function openNamed(name: Side, url: string): Promise<Store> {
  try {
    return await openStore({ url, ...waysOf(readSettings()), create: name === 'to' });
  } catch (error) {
    if (!(error instanceof Failure) || error.detail.message !== undefined) throw error;
    const message = `${name} (${withoutSecrets(url)}) cannot be used: ${error.detail.reason ?? error.code}`;
    throw new Failure(error.code, { ...error.detail, message }, { cause: error });
  }
}

/** Both databases must have the tables of this release, no less and no more. */
async function requireReady(store: Store): Promise<void> {
  const status = await store.status();
  requireKnown(status);
  const faults = await store.findSchemaFaults();
  if (status.pending.length > 0) faults.push(`it lacks ${status.pending.length} migrations of this release`);
  if (faults.length === 0) return;
  const message = `a copy needs databases of this release (${faults[0]}); run: gatehouse db migrate`;
  throw new Failure('unavailable', { name: 'schema', message });
}

async function vaultOf(source: Store): Promise<Vault> {
  const masterKey = await inspectMasterKey({ file: createKeyFile(readSettings().masterKeyFile), store: source });
  if (masterKey) return createVault(masterKey, systemRandom);
  throw new Failure('unavailable', { name: 'store', message: 'the source holds nothing that could be copied' });
}

function answerOf({ tables, trails, resumed }: CopiedDatabase): Answer {
  const filled = tables.filter(({ rows }) => rows > 0);
  const lists = [
    table(
      ['table', 'rows'],
      filled.map((one) => [one.table, one.rows]),
    ),
    table(
      ['verified trail', 'events'],
      trails.map((one) => [one.account, one.events]),
    ),
    fields({ tables: tables.length, rows: tables.reduce((sum, { rows }) => sum + rows, 0) }),
  ];
  return { json: { tables, trails, resumed }, text: lists.join('\n') };
}

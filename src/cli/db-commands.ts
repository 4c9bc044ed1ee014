import type { Command } from 'commander';
import { Failure } from '../domain/failure.ts';
import { requireKnown } from '../store/knex/index.ts';
import { addCommand, addGroup, type Outlet } from './command.ts';
import { addCopyCommand } from './copy-command.ts';
import { addDistributeCommand } from './distribute-command.ts';
import { fields } from './output.ts';
import { withStore } from './session.ts';
import { addTouchCommand } from './touch-command.ts';

export function addDatabaseCommands(program: Command, outlet: Outlet): void {
  const group = addGroup(program, 'db', 'the database');
  addCommand(group, 'migrate', 'apply the migrations of this release; creates a missing database', outlet, () =>
    withStore(
      async (store) => {
        const before = await store.status();
        const { applied, pending } = await store.migrate();
        const migrated = applied.filter((name) => !before.applied.includes(name));
        return {
          json: { kind: store.kind, migrated, applied, pending },
          text: migrated.length > 0 ? fields({ migrated }) : 'up to date\n',
        };
      },
      { create: true },
    ),
  );
  addCommand(group, 'status', 'show which migrations are applied', outlet, () =>
    withStore(async (store) => {
      const status = await store.status();
      requireKnown(status);
      const { applied, pending } = status;
      const json = { kind: store.kind, applied, pending };
      return { json, text: fields(json) };
    }),
  );
  addCommand(group, 'backup <file>', 'write a consistent copy while the service runs (SQLite)', outlet, ({ args }) =>
    withStore(async (store, { masterKeyFile }) => {
      const file = args[0] as string;
      if (store.kind === 'postgres') {
        throw new Failure('value_invalid', { message: 'PostgreSQL has its own tools for this: use pg_dump' });
      }
      await store.backup(file);
      return {
        json: { file },
        text: `${file} is written. It can be opened only with ${masterKeyFile}: keep a copy of that file elsewhere.\n`,
      };
    }),
  );
  addTouchCommand(group, outlet);
  addCopyCommand(group, outlet);
  addDistributeCommand(group, outlet);
}

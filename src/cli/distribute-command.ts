import type { Command } from 'commander';
import { Failure } from '../domain/failure.ts';
import { type Distribution, withDistribution } from '../store/knex/index.ts';
import { type Answer, addCommand, type Outlet } from './command.ts';
import { note, readSettings } from './invocation.ts';
import { fields, table } from './output.ts';

const explanation = `
--plan and --status only read. --plan ends with 1 while the schema does not fit. --apply has never been run on a real
Citus (docs/scale.md), which is why it asks for --untried: try it on a copy. Stop the service before. The release before
this one writes by triggers that Citus does not take. After --drop-triggers there is no way back to it.`;

interface Options {
  readonly json?: true;
  readonly plan?: true;
  readonly apply?: true;
  readonly status?: true;
  readonly untried?: true;
  readonly dropTriggers?: true;
}

export function addDistributeCommand(group: Command, outlet: Outlet): void {
  addCommand<Options>(
    group,
    'distribute',
    'distribute a PostgreSQL database over nodes by account, with Citus',
    outlet,
    async ({ options }) => {
      const { databaseUrl } = readSettings();
      const work = workOf(options);
      if (databaseUrl.startsWith('sqlite:')) {
        throw new Failure('value_invalid', { name: 'DATABASE_URL', message: 'only PostgreSQL can be distributed' });
      }
      return withDistribution(databaseUrl, work);
    },
  )
    .option('--plan', 'print settings and statements in order, and what does not fit')
    .option('--apply', 'carry out the statements of the plan')
    .option('--status', 'show where each table lies')
    .option('--untried', 'with --apply: it is known that this has never been run on a real Citus')
    .option('--drop-triggers', 'with --apply: no process of the release before runs, and none will')
    .addHelpText('after', explanation);
}

/** Exactly one of the three. */
function workOf({
  plan,
  apply,
  status,
  untried,
  dropTriggers,
}: Options): (distribution: Distribution) => Promise<Answer> {
  if ([plan, apply, status].filter((one) => one === true).length !== 1) {
    throw new Failure('value_invalid', { name: 'options', message: 'give one of --plan, --apply and --status' });
  }
  if (plan) return showPlan;
  if (status) return showStatus;
  if (untried) return (distribution) => carryOut(distribution, dropTriggers === true);
  const message = '--apply is untried on a real Citus: read docs/scale.md, try it on a copy, and add --untried';
  throw new Failure('value_invalid', { name: 'apply', message });
}

/** Statements with what they are for, as a script that `psql` reads. */
function script(title: string, statements: readonly { readonly sql: string; readonly because: string }[]): string {
  return [`-- ${title}`, ...statements.map(({ sql, because }) => `-- ${because}\n${sql};`), ''].join('\n');
}

async function showPlan(distribution: Distribution): Promise<Answer> {
  const plan = await distribution.plan();
  const { obstacles, settings, nodes, dropping, statements, moving, watching } = plan;
  const values = settings.map(({ name, value, because }) => ({
    sql: `alter system set ${name} = '${value}'`,
    because,
  }));
  const text = [
    ...obstacles.map((one) => `-- does not fit: ${one}\n`),
    script('settings of every server, before it starts', values),
    script('the coordinator learns of the others', nodes),
    script('triggers, once no process of the release before runs or will', dropping),
    script('tables, in one session on the coordinator, while the service is stopped', statements),
    script('later: moving shards', moving),
    script('to watch', watching),
  ];
  return { json: plan, text: text.join('\n'), exitCode: obstacles.length > 0 ? 1 : 0 };
}

async function showStatus(distribution: Distribution): Promise<Answer> {
  const status = await distribution.status();
  const { citus, workers, tables, isDistributed } = status;
  const rows = tables.map((one) => [one.table, one.wanted, one.found]);
  const summary = fields({ citus: citus ?? 'not installed', workers, distributed: isDistributed ? 'yes' : 'no' });
  return { json: status, text: `${table(['table', 'wanted', 'found'], rows)}\n${summary}` };
}

async function carryOut(distribution: Distribution, dropTriggers: boolean): Promise<Answer> {
  const sent = await distribution.apply({ dropTriggers }, note);
  return { json: { sent }, text: fields({ statements: sent.length }) };
}

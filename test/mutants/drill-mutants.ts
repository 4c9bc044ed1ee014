/** `npm run drill -- mutants`: each mutant must die. */

import { mutants } from './mutants.ts';
import { type Report, tryMutants } from './try-mutants.ts';

interface Flags {
  readonly list?: boolean | undefined;
  readonly json?: boolean | undefined;
}

/**
 * Tries those whose ids begin with one of `named`, or all. Answers the exit status: 1 where one survived, 2 for no id.
 */
export async function drillMutants(named: readonly string[], { list, json }: Flags): Promise<number> {
  const chosen = mutants.filter(({ id }) => named.length === 0 || named.some((start) => id.startsWith(start)));
  if (chosen.length === 0) {
    process.stderr.write(`no mutant begins with ${named.join(' or ')}\n`);
    return 2;
  }
  if (list) {
    for (const { id, rule, killedBy } of chosen) process.stdout.write(`${id.padEnd(28)} ${rule} (test/${killedBy})\n`);
    return 0;
  }
  // The copies go with this process, whatever ends it.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => process.exit(1));
  const reports = await tryMutants(chosen, (line) => process.stderr.write(`${line}\n`));
  process.stdout.write(json ? `${JSON.stringify(reports, null, 2)}\n` : summaryOf(reports));
  return reports.every(({ died }) => died) ? 0 : 1;
}

function summaryOf(reports: readonly Report[]): string {
  const survivors = reports.filter(({ died }) => !died);
  const seconds = reports.reduce((sum, report) => sum + report.seconds, 0) / reports.length;
  const lines = survivors.map(
    ({ id, rule, file, killedBy, by }) => `${id}: ${rule}\n    src/${file}, test/${killedBy}: ${by}\n`,
  );
  const died = reports.length - survivors.length;
  return `${lines.join('')}${died} of ${reports.length} mutants died, ${seconds.toFixed(1)} s each\n`;
}

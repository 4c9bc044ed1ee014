/** What a judge says of the contracts, told as a row of the table. */

import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { isThere } from '../conformance/toolchain.ts';
import type { Judge, Row } from './judge.ts';
import type { Stage } from './stage.ts';

export interface Verdict {
  readonly row: Row;
  /** What failed, with what the tool wrote. */
  readonly faults: readonly string[];
  /** Commands that are not there, for which nothing was run. */
  readonly missing: readonly string[];
}

/** Runs a judge on all contracts, in a folder of its own below `parent`. */
export async function askJudge(
  judge: Judge,
  { contracts, env }: Pick<Stage, 'contracts' | 'env'>,
  parent: string,
): Promise<Verdict> {
  const { language, version, needs } = judge;
  const tool = `${judge.tool} ${version}`;
  const missing = needs.filter((program) => !isThere(program));
  if (missing.length > 0) {
    const cells = contracts.map(() => 'not run');
    return { row: { language, tool, cells, job: `\`${missing.join('`, `')}\` not found` }, faults: [], missing };
  }
  const folder = join(parent, `${language}-${judge.tool.replaceAll(/\W+/g, '-')}`);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const faults: string[] = [];
  /** Answers whether it succeeded, and keeps what was wrong. */
  const attempt = (what: string, work: Promise<void>): Promise<boolean> =>
    work.then(
      () => true,
      (error: Error) => {
        faults.push(`${tool}, ${what}: ${error.message}`);
        return false;
      },
    );
  const cells: string[] = [];
  for (const contract of contracts) {
    const { surface } = contract;
    const before = faults.length;
    cells.push(await cellOf(judge, ({ run }) => attempt(surface, run(contract, folder))));
    if (judge.ownFaults?.[surface] === undefined) continue;
    const found = faults.splice(before);
    if (found.length === 0) faults.push(`${tool}, ${surface}: it does not fail any more; take it out of \`ownFaults\``);
  }
  const job = await jobOf(judge, faults.length > 0, (run) => attempt('the main job', run(folder, env)));
  return { row: { language, tool, cells, job }, faults, missing };
}

/** The last stage that succeeded, or the first that did not. */
async function cellOf(
  { stages }: Judge,
  succeeds: (stage: Judge['stages'][number]) => Promise<boolean>,
): Promise<string> {
  let cell = '';
  for (const stage of stages) {
    if (!(await succeeds(stage))) return `**not ${stage.word}**`;
    cell = stage.word;
  }
  return cell;
}

async function jobOf(
  { job }: Judge,
  hasFaults: boolean,
  succeeds: (job: NonNullable<Judge['job']>) => Promise<boolean>,
): Promise<string> {
  if (!job) return '–';
  if (hasFaults) return '**not run**';
  return (await succeeds(job)) ? 'done' : '**not done**';
}

/**
 * Judges the contracts by the generators of clients that people use. Each is pinned and comes from the registry of its
 * language into `.cache/sdk`; it gets the files that a service of this checkout serves on loopback. What it writes is
 * compiled, and a program of each language does the main job with it against the service. Linters judge the contracts by
 * rules of others. A language whose toolchain is not there is not run and named. Exit 1 when something failed.
 *
 *     npm run sdk -- check                all languages
 *     npm run sdk -- check python go      those
 *     npm run sdk -- check --write        and writes what came of it into the tables of docs/sdks.md
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { judges } from './sdk/judges.ts';
import { openStage } from './sdk/stage.ts';
import { tableOf, withExceptions, withRows } from './sdk/table.ts';
import { cache } from './sdk/tools.ts';
import { askJudge, type Verdict } from './sdk/verdict.ts';

const page = fileURLToPath(new URL('../docs/sdks.md', import.meta.url));
const languages = [...new Set(judges.map(({ language }) => language))];

const { positionals, values } = parseArgs({ allowPositionals: true, options: { write: { type: 'boolean' } } });
const [command, ...named] = positionals;
const unknown = named.filter((name) => !languages.includes(name));
if (command !== 'check' || unknown.length > 0) {
  console.error(`npm run sdk -- check [language]; the languages are ${languages.join(', ')}`);
  process.exit(2);
}

const verdicts: Verdict[] = [];
const stage = await openStage(join(cache, 'contracts'));
try {
  for (const judge of judges) {
    if (named.length > 0 && !named.includes(judge.language)) continue;
    const verdict = await askJudge(judge, stage, join(cache, 'made'));
    verdicts.push(verdict);
    const { language, tool, cells, job } = verdict.row;
    console.log([language, tool, ...cells, job].join('  '));
    for (const fault of verdict.faults) console.log(fault.replaceAll(/^/gm, '    '));
  }
} finally {
  await stage.close();
}

const rows = verdicts.map(({ row }) => row);
const left = verdicts.filter(({ missing }) => missing.length > 0).length;
const failed = verdicts.filter(({ faults }) => faults.length > 0).length;
console.log(`\n${tableOf(rows)}`);
console.log(`${verdicts.length - left} of ${verdicts.length} tools ran, ${failed} of them failed`);
if (values.write) writeFileSync(page, withExceptions(withRows(readFileSync(page, 'utf8'), rows)));
process.exitCode = failed > 0 ? 1 : 0;

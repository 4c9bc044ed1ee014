/** Client libraries of other languages, run against a service of this checkout. */

import { cpSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { openStage, type Stage } from './stage.ts';
import { isThere, run, type Toolchain } from './toolchain.ts';
import { toolchains } from './toolchains.ts';

const sources = fileURLToPath(new URL('../../test/conformance', import.meta.url));

/** What this machine lacks for a language; null when it has all. */
async function missingFor({ needs, missing }: Toolchain): Promise<string | null> {
  const absent = needs.filter((program) => !isThere(program));
  if (absent.length > 0) return `${absent.join(' and ')} not found`;
  return (await missing?.()) ?? null;
}

/** Titles of the programs that failed. */
async function runLanguage(toolchain: Toolchain, parent: string, { env }: Stage): Promise<string[]> {
  const folder = join(parent, toolchain.language);
  mkdirSync(folder, { recursive: true });
  cpSync(join(sources, toolchain.language), folder, { recursive: true });
  const failed: string[] = [];
  const attempt = (title: string, work: Promise<void>) =>
    work.catch((error: Error) => {
      console.log(`  FAILED  ${error.message}`);
      failed.push(`${toolchain.language}: ${title}`);
    });
  await attempt('its packages', toolchain.prepare(folder));
  if (failed.length > 0) return failed;
  for (const { title, command } of toolchain.programs(folder)) {
    console.log(`${toolchain.language}: ${title}`);
    await attempt(title, run(command, { cwd: folder, env, aloud: true }));
  }
  return failed;
}

async function runAll(chosen: readonly Toolchain[], parent: string): Promise<readonly string[]> {
  const failed: string[] = [];
  const leftOut: string[] = [];
  const stage = await openStage();
  try {
    for (const toolchain of chosen) {
      const missing = await missingFor(toolchain);
      if (missing) leftOut.push(`${toolchain.language}: ${missing}`);
      else failed.push(...(await runLanguage(toolchain, parent, stage)));
    }
  } finally {
    await stage.close();
  }
  for (const line of leftOut) console.log(`left out  ${line}`);
  for (const line of failed) console.log(`failed    ${line}`);
  console.log(`${chosen.length - leftOut.length} of ${chosen.length} languages ran, ${failed.length} programs failed`);
  return failed;
}

/** Runs those that are named, or all; answers the exit code. `folder`: where to keep what was fetched. */
export async function runLanguages(positionals: readonly string[], folder: string | undefined): Promise<number> {
  const unknown = positionals.filter((name) => !toolchains.some(({ language }) => language === name));
  if (unknown.length > 0) {
    console.error(
      `not here: ${unknown.join(', ')}; there are ${toolchains.map(({ language }) => language).join(', ')}`,
    );
    return 2;
  }
  const chosen = toolchains.filter(({ language }) => positionals.length === 0 || positionals.includes(language));
  const parent = folder ? resolve(folder) : mkdtempSync(join(tmpdir(), 'gatehouse-conformance-'));
  try {
    return (await runAll(chosen, parent)).length > 0 ? 1 : 0;
  } finally {
    if (!folder) rmSync(parent, { recursive: true, force: true });
  }
}

/**
 * What the contracts promise from release to release; docs/sdks.md says what breaks a client.
 *
 *     node scripts/contract.ts diff <old> <new>    the changes between two bundled contracts; 1 if one breaks a client
 *     node scripts/contract.ts check               1 if a change since the last release must not be released
 *     node scripts/contract.ts changelog           drafts the CHANGELOG of each surface from the changes
 *     node scripts/contract.ts release <version>   writes the version everywhere, and keeps the contracts as released
 */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { checkBaseline, compareWithRelease, findHasty } from './contract/baseline.ts';
import { compareFiles } from './contract/compare.ts';
import { tellPlace } from './contract/deprecation.ts';
import { draftChangelog } from './contract/draft.ts';
import { contractsIn, keepRelease, writeVersion } from './contract/releases.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const today = new Date().toISOString().slice(0, 10);

function say(lines: readonly string[]): void {
  for (const line of lines) process.stdout.write(`${line}\n`);
}

/** Says why not, and fails. */
function refuse(lines: readonly string[]): void {
  say(lines);
  if (lines.length > 0) process.exitCode = 1;
}

async function diff(base: string, revision: string): Promise<void> {
  const { breaks, additions } = await compareFiles(base, revision);
  say(additions.map(({ kind, pointer }) => `added     ${tellPlace(pointer)} (${kind})`));
  refuse(breaks.map(({ rule, message, pointer }) => `BREAKING  ${tellPlace(pointer)}: ${message} (${rule})`));
}

async function release(version: string): Promise<void> {
  if (!/^\d+\.\d+\.\d+$/.test(version)) throw new Error(`${version} is not a version such as 1.2.0`);
  const newest = /^## (.*)$/m.exec(readFileSync(join(root, 'CHANGELOG.md'), 'utf8'))?.[1];
  const reasons = [
    ...(newest === version ? [] : [`the first section of CHANGELOG.md is ${newest}, not ${version}`]),
    ...(await checkBaseline(root, today)),
    ...findHasty(root, today),
  ];
  refuse(reasons);
  if (reasons.length > 0) return;
  writeVersion(root, version);
  execFileSync(process.execPath, ['scripts/generate.ts'], { cwd: root, stdio: 'inherit' });
  keepRelease(root, version, contractsIn(join(root, 'generated')));
  say([`openapi/released/${version}: commit it with the version and the CHANGELOG`]);
}

const [command, ...rest] = process.argv.slice(2);
const [first, second] = rest;
if (command === 'diff' && first !== undefined && second !== undefined) await diff(first, second);
else if (command === 'check') refuse(await checkBaseline(root, today));
else if (command === 'changelog') say([draftChangelog(await compareWithRelease(root, today))]);
else if (command === 'release' && first !== undefined) await release(first);
else throw new Error('usage: contract.ts diff <old> <new> | check | changelog | release <version>');

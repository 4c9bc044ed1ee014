/** Linters with the rules of others: what they find, errors and warnings alike, is mended or has its reason. */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import packageJson from '../../package.json' with { type: 'json' };
import { run } from '../conformance/toolchain.ts';
import type { Judge, ServedContract } from './judge.ts';
import { type RuleException, redoclyExceptions, spectralExceptions } from './rule-exceptions.ts';
import { npmTools, pinnedVersion } from './tools.ts';

const language = 'rules';
const redocly = fileURLToPath(new URL('../../node_modules/.bin/redocly', import.meta.url));

export interface Finding {
  readonly rule: string;
  readonly message: string;
  /** Where it is in the contract, from the root. */
  readonly path: readonly string[];
}

/** Runs a linter, which exits with 1 when it found something, and answers the JSON that it wrote. */
async function lint(command: readonly string[], file: string): Promise<unknown> {
  const words = command.map((word) => `'${word}'`).join(' ');
  await run(['sh', '-c', `${words} > '${file}' || test $? -eq 1`], { cwd: '.', env: { SCARF_ANALYTICS: 'false' } });
  return JSON.parse(readFileSync(file, 'utf8'));
}

function partOf(contract: unknown, path: readonly string[]): unknown {
  return path.reduce<unknown>((part, name) => (part as Record<string, unknown> | undefined)?.[name], contract);
}

/** What is wrong: findings without an exception, and exceptions of this surface that excuse nothing any more. */
export function faultsOf(
  findings: readonly Finding[],
  exceptions: readonly RuleException[],
  surface: string,
  contract: unknown,
): string[] {
  const ofSurface = exceptions.filter(({ surfaces }) => surfaces.includes(surface));
  const used = new Set<string>();
  const faults = findings.filter(({ rule, path }) => {
    const exception = ofSurface.find((one) => one.rule === rule);
    const isExcused = exception && (exception.excuses?.(partOf(contract, path)) ?? true);
    if (isExcused) used.add(rule);
    return !isExcused;
  });
  const idle = ofSurface.filter(({ rule }) => !used.has(rule));
  return [
    ...faults.map(({ rule, message, path }) => `${path.join('/')}: ${message} (${rule})`),
    ...idle.map(({ rule }) => `${rule} excuses nothing any more; take it out of the exceptions`),
  ];
}

function linter(
  tool: string,
  version: string,
  needs: readonly string[],
  exceptions: readonly RuleException[],
  find: (contract: ServedContract, folder: string) => Promise<readonly Finding[]>,
): Judge {
  const accept = async (contract: ServedContract, folder: string) => {
    const findings = await find(contract, folder);
    const faults = faultsOf(findings, exceptions, contract.surface, JSON.parse(readFileSync(contract.json, 'utf8')));
    if (faults.length > 0) throw new Error(faults.join('\n'));
  };
  return { language, tool, version, needs, stages: [{ word: 'accepted', run: accept }] };
}

interface SpectralProblem {
  readonly code: string;
  readonly message: string;
  readonly path: readonly (string | number)[];
}

interface RedoclyAnswer {
  readonly problems: readonly {
    readonly ruleId: string;
    readonly message: string;
    readonly location: readonly { readonly pointer: string }[];
  }[];
}

async function findBySpectral({ surface, json }: ServedContract, folder: string): Promise<readonly Finding[]> {
  const tools = await npmTools('rules');
  const command = [join(tools, 'node_modules/.bin/spectral'), 'lint', '--quiet', '--format', 'json'];
  const rules = ['--ruleset', join(tools, 'spectral.json')];
  const found = await lint([process.execPath, ...command, ...rules, json], join(folder, `${surface}.json`));
  return (found as SpectralProblem[]).map(({ code, message, path }) => ({
    rule: code,
    message,
    path: path.map(String),
  }));
}

async function findByRedocly({ surface, json }: ServedContract, folder: string): Promise<readonly Finding[]> {
  const command = [redocly, 'lint', '--extends=recommended-strict', '--format=json', json];
  const found = await lint([process.execPath, ...command], join(folder, `${surface}.json`));
  return (found as RedoclyAnswer).problems.map(({ ruleId, message, location }) => ({
    rule: ruleId,
    message,
    path: (location[0]?.pointer ?? '').split('/').slice(1).map(unescapePointer),
  }));
}

/** A name in a JSON pointer (RFC 6901 §4). */
function unescapePointer(name: string): string {
  return name.replaceAll('~1', '/').replaceAll('~0', '~');
}

const owasp = pinnedVersion('rules', '@stoplight/spectral-owasp-ruleset');

export const rules: readonly Judge[] = [
  linter(
    `Spectral (\`oas\`, OWASP ${owasp})`,
    pinnedVersion('rules', '@stoplight/spectral-cli'),
    ['npm'],
    spectralExceptions,
    findBySpectral,
  ),
  linter(
    'Redocly `recommended-strict`',
    packageJson.devDependencies['@redocly/cli'],
    [],
    redoclyExceptions,
    findByRedocly,
  ),
];

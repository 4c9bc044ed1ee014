import type { Command } from 'commander';
import { createHookEgress } from '../adapters/egress/policies.ts';
import { printableValue } from '../adapters/printable.ts';
import { type Config, ConfigMistakes } from '../config.ts';
import { packageBuilderOf } from '../create-services.ts';
import { second } from '../domain/durations.ts';
import { Failure } from '../domain/failure.ts';
import { parseAnswer } from '../domain/hooks/answers.ts';
import { checkPackages } from '../domain/hooks/check-packages.ts';
import { maskingOf, outputLines } from '../domain/hooks/log-lines.ts';
import type { HookPackages } from '../domain/hooks/package-builds.ts';
import {
  type HookRunResult,
  type HookRuntime,
  mostCompileMilliseconds,
  type SyntaxVerdict,
} from '../domain/hooks/runner.ts';
import { hookTypes, longestTimeoutSeconds } from '../domain/hooks/values.ts';
import { createGuestFetch } from '../hook-runner/guest-fetch.ts';
import { createHookRunner } from '../hook-runner/runner.ts';
import type { Judgement } from '../runtime/floor.ts';
import { checkRuntimes } from '../runtime/hook-runtimes.ts';
import type { HookOutcome } from '../store/hook-executions.ts';
import { judgeHere, notesOn } from './answer-notes.ts';
import { type Answer, addCommand, addGroup, collect, type Outlet } from './command.ts';
import { addHookLogCommands, readHookFile } from './hook-log-commands.ts';
import { addHookNewCommand } from './hook-new-command.ts';
import { addVariableCommands } from './hook-variable-commands.ts';
import { addHookWriteCommands } from './hook-write-commands.ts';
import { readSettings } from './invocation.ts';
import { readPairs } from './pairs.ts';
import { hintsOn } from './run-hints.ts';

/** For a run without an account. */
const nobody = 0;
const localRun = '00000000-0000-0000-0000-000000000000';

interface RunOptions {
  readonly type: string;
  readonly context: string;
  readonly env?: readonly string[];
  readonly package?: readonly string[];
  readonly runtime?: string;
}

export function addHookCommands(program: Command, outlet: Outlet): void {
  const group = addGroup(program, 'hook', 'Smart Hooks');
  addHookNewCommand(group, outlet);
  addHookWriteCommands(group, outlet);
  addVariableCommands(group, outlet);
  addHookLogCommands(group, outlet);
  addCommand<RunOptions>(
    group,
    'run <file.js>',
    'run a function here, as the service would',
    outlet,
    ({ args: [file], options }) => runHere(String(file), options),
  )
    .requiredOption('--type <type>', hookTypes.join(' or '))
    .requiredOption('--context <file.json>', 'the context that the handler gets')
    .option('--env <name=value>', 'an environment variable of the function; may be repeated', collect)
    .option('--package <name@version>', 'a package that the function may require; may be repeated', collect)
    .option('--runtime <identifier>', 'one of HOOK_RUNTIMES; the first by default');
}

/**
 * Uses only the two files and the registry, not the database. Exit 1 when the hook would fail; a refusal is an answer as
 * well.
 */
async function runHere(
  file: string,
  { type, context: contextFile, env = [], package: named = [], runtime: wished }: RunOptions,
): Promise<Answer> {
  const known = hookTypes.find((one) => one === type);
  if (!known) throw new Failure('value_invalid', { name: 'type', message: `type must be ${hookTypes.join(' or ')}` });
  const timeoutMilliseconds = longestTimeoutSeconds[known] * second;
  const variables = readPairs(env);
  const source = await readHookFile(file);
  const context = readJson(contextFile, await readHookFile(contextFile));
  const wanted = readPackages(named);
  const config = readSettings();
  const { runtime, judged } = chooseRuntime(config, wished);
  const egress = createHookEgress({ ...config.hookEgress, isOwnHost: async () => false });
  const runner = createHookRunner({ fetch: createGuestFetch(egress), runtimes: [runtime], waitMilliseconds: 10_000 });
  try {
    requireCompiling(file, await runner.checkSyntax(source));
    const packages = await buildPackages(config, wanted);
    const call = { accountId: nobody, source, packages, context, variables, timeoutMilliseconds };
    const result = await runner.run(call);
    const isAnswered = result.ending === 'success';
    const value = parseAnswer(result.value);
    const outcome = isAnswered ? judgeHere(known, value).outcome : result.ending;
    const notes = isAnswered ? notesOn(known, value, JSON.parse(context)) : hintsOn(result, known);
    return describe(result, outcome, notes, runtime, judged);
  } finally {
    await runner.close();
  }
}

/** What could not be checked, the run tells. */
function requireCompiling(file: string, verdict: SyntaxVerdict): void {
  if (verdict.says === 'compiles' || verdict.says === 'unavailable') return;
  const message =
    verdict.says === 'error'
      ? `${file}:${verdict.line}:${verdict.column}: ${verdict.message}`
      : `${file}: takes longer than ${mostCompileMilliseconds / second} seconds to compile`;
  throw new Failure('value_invalid', { name: 'function', message });
}

/**
 * The runtime of this name, or the default, with its Node version judged. Throws when it is not offered or cannot run
 * functions.
 */
function chooseRuntime(
  { hookRuntimes }: Pick<Config, 'hookRuntimes'>,
  wished: string | undefined,
): { readonly runtime: HookRuntime; readonly judged: Judgement } {
  const found = wished === undefined ? hookRuntimes[0] : hookRuntimes.find(({ name }) => name === wished);
  if (!found) {
    const names = hookRuntimes.map(({ name }) => name).join(' or ');
    throw new Failure('value_invalid', { name: 'runtime', message: `runtime must be ${names}` });
  }
  const [checked] = checkRuntimes([found]);
  if (!checked?.judged) throw new ConfigMistakes([checked?.mistake ?? 'HOOK_RUNTIMES is empty']);
  return { runtime: found, judged: checked.judged };
}

/** `name@version`; the name may itself begin with an @. */
function readPackages(named: readonly string[]): HookPackages {
  const packages = new Map<string, string>();
  for (const text of named) {
    const at = text.lastIndexOf('@');
    if (at < 1) throw refusal(`${text} is not a package; use name@version`);
    packages.set(text.slice(0, at), text.slice(at + 1));
  }
  return Object.fromEntries(packages);
}

/** The script of the packages, built as the service builds it; null without packages. */
async function buildPackages(
  config: Pick<Config, 'npmRegistry' | 'hookPackages'>,
  packages: HookPackages,
): Promise<string | null> {
  if (Object.keys(packages).length === 0) return null;
  const builder = packageBuilderOf(config);
  await checkPackages(packages, builder);
  const built = await builder?.build(packages, async () => false);
  if (built?.ok) return built.script;
  throw refusal(`packages: ${built?.reason ?? 'they cannot be built'}`);
}

function refusal(message: string): Failure {
  return new Failure('value_invalid', { name: 'package', message });
}

function describe(
  result: HookRunResult,
  outcome: HookOutcome,
  notes: readonly string[],
  runtime: HookRuntime,
  { version, reason }: Judgement,
): Answer {
  const { durationMilliseconds } = result;
  const value = parseAnswer(result.value) ?? null;
  const output = outputLines(localRun, result, Date.now(), maskingOf([])).lines;
  const ran = { outcome, value, notes, output, duration_ms: Math.round(durationMilliseconds) };
  const json = { ...ran, runtime: runtime.name, node: { version, warning: reason } };
  const ended = `${outcome} in ${ran.duration_ms} ms, ${runtime.name} (Node ${version})`;
  const warning = reason === null ? [] : [`Node ${version}: ${reason}`];
  const text = `${[...output.map(printableValue), ended, JSON.stringify(value, null, 2), ...notes.map(printableValue), ...warning].join('\n')}\n`;
  return { json, text, exitCode: outcome === 'success' || outcome === 'refused' ? 0 : 1 };
}

function readJson(file: string, text: string): string {
  try {
    return JSON.stringify(JSON.parse(text));
  } catch (error) {
    // The rest of the engine's words repeats the text.
    const { message: words } = error as Error;
    const [, line, column] = /\(line (\d+) column (\d+)\)$/.exec(words) ?? [];
    const where = line === undefined ? '' : `: line ${line}, column ${column}`;
    const why = words.startsWith('Unexpected end of JSON input') ? ': it ends too early' : where;
    throw new Failure('value_invalid', { name: 'context', message: `${file} is not valid JSON${why}` });
  }
}

/**
 * The fast checks, two at a time: one line for each with its duration, the whole output of a failed one, exit 1 when
 * any failed.
 *
 *     node scripts/check.ts              all of them
 *     node scripts/check.ts types style  those named
 */
import { spawn } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { compiler } from './compiler.ts';
import { findImportCircles } from './import-circles.ts';
import { findDeadReferences } from './references.ts';
import { findReadersOfEnvironment, findSideDoors } from './source-rules.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const atOnce = 2;
const mostMilliseconds = 600_000;

interface Outcome {
  readonly passed: boolean;
  readonly output: string;
}

type Check = () => Promise<Outcome>;

/**
 * Runs a Node program to its end. It passed when it exited with 0 and said nothing that matches `refuse`: some tools
 * count warnings without failing, or count their errors in an exit status that starts again after 255.
 */
function program(file: string, args: readonly string[], refuse?: RegExp): Check {
  return async () => {
    const child = spawn(process.execPath, [file, ...args], {
      cwd: root,
      env: { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true', NO_COLOR: '1' },
      stdio: ['ignore', 'pipe', 'pipe'],
      timeout: mostMilliseconds,
    });
    const status = new Promise<number | null>((resolve, reject) => child.on('error', reject).on('close', resolve));
    const [stdout, stderr, code] = await Promise.all([text(child.stdout), text(child.stderr), status]);
    const output = stdout + stderr;
    return { passed: code === 0 && !refuse?.test(output), output: code === null ? `${output}(stopped)\n` : output };
  };
}

/** A program that a package installed. */
function tool(name: string, args: readonly string[], refuse?: RegExp): Check {
  return program(join('node_modules/.bin', name), args, refuse);
}

/** The contracts in a folder, or the walks across them; the linter's rules and the collection of requests are neither. */
function contractsIn(folder: string, ending: '.yaml' | '.json'): string[] {
  return readdirSync(join(root, folder))
    .filter((file) => file.endsWith(ending) && !['redocly.yaml', 'postman.json'].includes(file))
    .map((file) => `${folder}/${file}`);
}

/** Passes when nothing was found; lists what was. */
function nothing(find: (root: string) => readonly string[]): Check {
  return async () => {
    const found = find(root);
    return { passed: found.length === 0, output: found.map((line) => `${line}\n`).join('') };
  };
}

/** Checks the types of a project. The result is cached: the next check looks at what has changed. */
function types(project: string, name: string): Check {
  const cache = ['--incremental', '--tsBuildInfoFile', `.cache/${name}.tsbuildinfo`];
  // Several threads would check much of it twice, while another check has the second core.
  return program(compiler, ['-p', project, '--pretty', 'false', '--singleThreaded', ...cache]);
}

/** Passes when all of them passed. */
function all(...parts: readonly Check[]): Check {
  return async () => {
    const outcomes = await Promise.all(parts.map((part) => part()));
    return { passed: outcomes.every(({ passed }) => passed), output: outcomes.map(({ output }) => output).join('') };
  };
}

/** Lints `files` by a configuration in `openapi`. */
function lint(config: string, files: readonly string[]): Check {
  const options = ['--config', `openapi/${config}`, '--lint-config', 'error', '--max-problems', '1000'];
  return tool('redocly', ['lint', ...options, '--format', 'stylish', ...files], /\d+ warnings?\b/);
}

// The longest first, so that both lanes end together.
const checks: Readonly<Record<string, Check>> = {
  types: all(types('.', 'types'), types('src/console', 'console-types')),
  imports: all(
    // Its rules are for src. Of scripts and tests the compiler and the linter know that what they import is there and
    // declared.
    tool('depcruise', ['--config', '.dependency-cruiser.cjs', 'src', 'generated'], /^ *error /m),
    nothing(findImportCircles),
    nothing(findSideDoors),
  ),
  generated: program('scripts/generate.ts', ['--check']),
  settings: program('scripts/settings-table.ts', ['--check']),
  style: tool('biome', ['ci', '--error-on-warnings', '--colors=off', '--max-diagnostics=200', '.']),
  contracts: () =>
    all(
      lint('redocly.yaml', [...contractsIn('openapi', '.yaml'), ...contractsIn('openapi/workflows', '.yaml')]),
      // As the service serves them, bundled.
      lint('served/redocly.yaml', [...contractsIn('generated', '.json'), 'generated/forms/gatehouse.json']),
      lint('served/forms.yaml', contractsIn('generated/forms', '.json')),
    )(),
  exports: tool('knip', ['--no-progress', '--treat-config-hints-as-errors']),
  environment: nothing(findReadersOfEnvironment),
  references: nothing(findDeadReferences),
  baseline: program('scripts/contract.ts', ['check']),
};

async function report(name: string, check: Check): Promise<void> {
  const start = performance.now();
  const { passed, output } = await check();
  const seconds = ((performance.now() - start) / 1000).toFixed(1);
  process.stdout.write(`${passed ? 'ok    ' : 'FAILED'}  ${name.padEnd(12)} ${seconds.padStart(5)} s\n`);
  if (!passed) {
    process.stdout.write(`${output.trimEnd().replace(/^/gm, '        ')}\n`);
    process.exitCode = 1;
  }
}

const named = process.argv.slice(2);
const unknown = named.filter((name) => !Object.hasOwn(checks, name));
if (unknown.length > 0) {
  throw new Error(`No check is called ${unknown.join(', ')}; there are ${Object.keys(checks).join(', ')}.`);
}
const waiting = Object.entries(checks).filter(([name]) => named.length === 0 || named.includes(name));
const lanes = Array.from({ length: atOnce }, async () => {
  for (let next = waiting.shift(); next; next = waiting.shift()) {
    await report(...next);
  }
});
await Promise.all(lanes);

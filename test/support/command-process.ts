/**
 * Runs one command line after the other, each as `bin/gatehouse.js` does in its folder, for the process that sends one
 * when the last has ended: what a command costs is mostly its start.
 */
import { enableCompileCache } from 'node:module';
import { fileURLToPath } from 'node:url';
import { loadWhole } from '../../src/whole-program/load.ts';

enableCompileCache(fileURLToPath(new URL('../../.cache/tests', import.meta.url)));
const { run } = loadWhole('command') ?? (await import('../../src/cli/program.ts'));

interface Asked {
  readonly cwd: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

type Writable = Pick<typeof process.stdout, 'write'>;

/** What is written to the stream from now until it is read. */
function collect(stream: Writable): () => string {
  const { write } = stream;
  let text = '';
  stream.write = (chunk: string | Uint8Array, ...more: unknown[]) => {
    text += chunk;
    const done = more.at(-1);
    if (typeof done === 'function') done();
    return true;
  };
  return () => {
    stream.write = write;
    return text;
  };
}

async function outcomeOf({ cwd, args, env }: Asked) {
  process.chdir(cwd);
  process.env = { ...env };
  const [stdout, stderr] = [collect(process.stdout), collect(process.stderr)];
  const exitCode = await run(args);
  // Each command adds one.
  process.stdout.removeAllListeners('error');
  return { exitCode, stdout: stdout(), stderr: stderr() };
}

process.on('message', async (asked: Asked) => process.send?.(await outcomeOf(asked)));

import { type Command, Option } from 'commander';
import { printableText } from '../adapters/printable.ts';
import { Failure } from '../domain/failure.ts';
import { countProcesses, readPlace } from '../processes/count.ts';
import { readSettings } from './invocation.ts';

interface ServeOptions {
  readonly demo?: true;
  readonly json?: true;
  readonly processes?: string;
  readonly process?: string;
}

export function addServeCommand(program: Command): void {
  const summary = 'serve requests until SIGTERM';
  program
    .command('serve')
    .summary(summary)
    .description(`${summary}. Settings come from the environment; one JSON line per event goes to stdout.`)
    .option('--demo', 'on an empty database, create the account `demo` and print how to sign in')
    .option('--processes <number>', 'serve with so many processes (PostgreSQL), or `auto`: one for each core')
    // Of a process that `--processes` starts: the supervisor's own words.
    .addOption(new Option('--process <place>').hideHelp())
    .action(async (_options: unknown, command: Command) => {
      const { demo, json, processes, process: place } = command.optsWithGlobals<ServeOptions>();
      const config = readSettings();
      if (processes !== undefined && place === undefined) {
        const { supervise } = await import('../processes/supervisor.ts');
        await supervise({ config, count: countProcesses(processes, config.databaseUrl) });
        return;
      }
      if (place !== undefined && !process.connected) {
        const message = '--process is for processes that serve --processes starts';
        throw new Failure('value_invalid', { name: 'process', message });
      }
      // The other commands do not need the web framework.
      const { serve } = await import('../main.ts');
      // With --json only event lines: the demo secrets are in demo.json. If the disk is full, messages for people are
      // lost, and the service continues.
      process.stdout.on('error', () => {});
      const print = (text: string) => void (json || process.stdout.write(printableText(text)));
      await serve({ config, demo: demo === true, print, place: place === undefined ? null : readPlace(place) });
    });
}

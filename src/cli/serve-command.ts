import type { Command } from 'commander';
import { printableText } from '../adapters/printable.ts';
import { readSettings } from './invocation.ts';

export function addServeCommand(program: Command): void {
  const summary = 'serve requests until SIGTERM';
  program
    .command('serve')
    .summary(summary)
    .description(`${summary}. Settings come from the environment; one JSON line per event goes to stdout.`)
    .option('--demo', 'on an empty database, create the account `demo` and print how to sign in')
    .action(async (_options: unknown, command: Command) => {
      const { demo, json } = command.optsWithGlobals<{ demo?: true; json?: true }>();
      const config = readSettings();
      // The other commands do not need the web framework.
      const { serve } = await import('../main.ts');
      // With --json only event lines: the demo secrets are in demo.json. If the disk is full, messages for people are
      // lost, and the service continues.
      process.stdout.on('error', () => {});
      const print = (text: string) => void (json || process.stdout.write(printableText(text)));
      await serve({ config, demo: demo === true, print });
    });
}

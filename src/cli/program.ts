import { Command, CommanderError } from 'commander';
import packageJson from '../../package.json' with { type: 'json' };
import { printableJson, printableText, printableValue } from '../adapters/printable.ts';
import { addAccessCommands } from './access-commands.ts';
import { addAccountCommands } from './account-commands.ts';
import { addAdministratorCommands } from './administrator-commands.ts';
import { addApiCommands } from './api-commands.ts';
import { addAppCommands } from './app-commands.ts';
import { addAuditCommands } from './audit-commands.ts';
import { addApiKeyCommands, addCredentialCommands } from './caller-commands.ts';
import type { Outlet } from './command.ts';
import { addCompletionCommand } from './completion-command.ts';
import { addDatabaseCommands } from './db-commands.ts';
import { addDeprecatedCommands } from './deprecated-commands.ts';
import { addDoctorCommand } from './doctor-command.ts';
import { describeError } from './errors.ts';
import { addExamples } from './examples.ts';
import { addHookCommands } from './hook-commands.ts';
import { asInvocation, chooseEnvFile } from './invocation.ts';
import { addKeyCommands } from './key-commands.ts';
import { addPolicyCommands } from './policy-commands.ts';
import { addPrepareCommand } from './prepare-command.ts';
import { addRoleCommands } from './role-commands.ts';
import { addServeCommand } from './serve-command.ts';
import { addUserCommands } from './user-commands.ts';
import { addWhyCommand } from './why-command.ts';

/** Runs one command line (without node and script); returns the exit code. */
export async function run(args: readonly string[]): Promise<number> {
  let exitCode = 0;
  const asJson = args.includes('--json');
  const outlet: Outlet = {
    answer(answer, json) {
      process.stdout.write(json ? `${printableJson(answer.json)}\n` : printableText(answer.text));
      exitCode = answer.exitCode ?? 0;
    },
    write,
  };
  // The writer gets the error itself.
  process.stdout.on('error', () => {});
  const program = createProgram(outlet, asJson);
  try {
    await asInvocation({ json: asJson }, () => program.parseAsync(args, { from: 'user' }));
    return exitCode;
  } catch (error) {
    if (error instanceof CommanderError && error.exitCode === 0) return 0;
    const failed = reportError(error, asJson);
    // An incomplete command has shown its help.
    const isHelped = asJson || !(error instanceof CommanderError) || error.code === 'commander.help';
    if (!isHelped) process.stderr.write(`Run: ${nameOf(program, args)} --help\n`);
    return failed;
  }
}

/** The command that the words of the command line begin with. */
function nameOf(program: Command, args: readonly string[]): string {
  let command = program;
  const names = [program.name()];
  for (const arg of args) {
    const next = command.commands.find((one) => one.name() === arg);
    if (!next) break;
    command = next;
    names.push(arg);
  }
  return names.join(' ');
}

/** Settles when the text is written; a reader that stops early, such as `head`, is not an error. */
function write(text: string): Promise<boolean> {
  return new Promise((resolve, reject) => {
    process.stdout.write(printableText(text), (error) => {
      if (!error) resolve(true);
      else if ('code' in error && error.code === 'EPIPE') resolve(false);
      else reject(error);
    });
  });
}

/** All commands. */
export function createProgram(outlet: Outlet, asJson: boolean): Command {
  const program = new Command('gatehouse')
    .description('A self-hosted identity service.')
    .version(packageJson.version)
    .option('--json', 'print one JSON value on stdout and nothing else')
    .option('--env-file <file>', 'settings; gatehouse.env beside the master key by default')
    .hook('preAction', (_program, command) => chooseEnvFile(command.optsWithGlobals<{ envFile?: string }>().envFile))
    .configureHelp({ showGlobalOptions: true })
    .showSuggestionAfterError()
    .exitOverride()
    // `reportError` reports usage errors; stderr only gets the help text after an incomplete command.
    .configureOutput({ outputError: () => {}, ...(asJson && { writeErr: () => {} }) });
  addServeCommand(program);
  addAccountCommands(program, outlet);
  addCredentialCommands(program, outlet);
  addApiKeyCommands(program, outlet);
  addAdministratorCommands(program, outlet);
  addUserCommands(program, outlet);
  addRoleCommands(program, outlet);
  addPolicyCommands(program, outlet);
  addAppCommands(program, outlet);
  addAccessCommands(program, outlet);
  addApiCommands(program, outlet);
  addKeyCommands(program, outlet);
  addHookCommands(program, outlet);
  addAuditCommands(program, outlet);
  addDeprecatedCommands(program, outlet);
  addWhyCommand(program, outlet);
  addDatabaseCommands(program, outlet);
  addDoctorCommand(program, outlet);
  addPrepareCommand(program, outlet);
  addCompletionCommand(program, outlet);
  addExamples(program);
  return program;
}

function reportError(error: unknown, asJson: boolean): number {
  const { exitCode, ...reported } = describeError(error);
  process.stderr.write(asJson ? `${printableJson(reported)}\n` : `gatehouse: ${printableValue(reported.message)}\n`);
  return exitCode;
}

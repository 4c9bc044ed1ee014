import { Argument, type Command } from 'commander';
import { addCommand, type Outlet } from './command.ts';
import { bashScript, fishScript, type Place, zshScript } from './completion-scripts.ts';

const scripts = { bash: bashScript, zsh: zshScript, fish: fishScript };
type Shell = keyof typeof scripts;
const shells = Object.keys(scripts) as Shell[];

const explanation = `
Load it once to try it, or in each shell that starts:
  source <(gatehouse completion bash)
  source <(gatehouse completion zsh)
  gatehouse completion fish | source`;

export function addCompletionCommand(program: Command, outlet: Outlet): void {
  addCommand(
    program,
    'completion',
    'print a script with which a shell completes commands',
    outlet,
    async ({ args }) => {
      const shell = args[0] as Shell;
      const script = scripts[shell](placesOf(program));
      return { json: { shell, script }, text: script };
    },
  )
    .addArgument(new Argument('<shell>', 'the shell that reads it').choices(shells))
    .addHelpText('after', explanation);
}

/** Every place on a command line where a word can be completed: after the program, a group, or a command. */
function placesOf(command: Command, at = ''): Place[] {
  const help = command.createHelp();
  const below = help.visibleCommands(command).filter((one) => one.name() !== 'help');
  const options = [...help.visibleOptions(command), ...help.visibleGlobalOptions(command)];
  const place: Place = {
    at,
    words: [
      ...below.map((one) => ({ word: one.name(), about: one.summary() })),
      ...command.registeredArguments.flatMap(({ argChoices = [], description }) =>
        argChoices.map((word) => ({ word, about: description })),
      ),
    ],
    options: options.flatMap(({ long, description, required }) =>
      long ? [{ word: long, about: description, takesValue: required }] : [],
    ),
  };
  return [place, ...below.flatMap((one) => placesOf(one, `${at} ${one.name()}`))];
}

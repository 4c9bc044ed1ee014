import { commandMistakes, prepareFolder } from '../../mistakes/command-line.ts';
import { configurationMistakes } from '../../mistakes/configuration.ts';
import { hookMistakes } from '../../mistakes/hooks.ts';
import { type Mistake, never } from '../../mistakes/mistake.ts';
import { requestMistakes } from '../../mistakes/requests.ts';
import { openTestApp } from '../../support/app.ts';
import { cliFolder } from '../../support/cli.ts';
import type { Drill } from '../drill.ts';

/** Settings under which as many requests are answered as the list has. */
const unlimited = {
  registration: 'open',
  'limit.api-2': 'off',
  'limit.register-open': 'off',
  'limit.authorize': 'off',
};

/** W1: mistakes of newcomers; its lines are what they read. */
export const drill: Drill = {
  id: 'W1',
  title: 'mistakes in commands, settings, requests and hooks: each is told what is wrong or what to do',
  rounds: 1,
  quickRounds: null,
  run: async ({ log }) => {
    const [cli, app] = [cliFolder(), await openTestApp('sqlite', { settings: unlimited })];
    try {
      await prepareFolder(cli);
      const kinds = {
        settings: configurationMistakes,
        commands: commandMistakes(cli),
        requests: await requestMistakes(app),
        hooks: await hookMistakes(app, cli),
      };
      const figures: Record<string, string> = {};
      let holds = true;
      for (const [kind, mistakes] of Object.entries(kinds)) {
        const told = await tellAll(mistakes, log);
        figures[kind] = `${told} of ${mistakes.length} told`;
        holds &&= told === mistakes.length;
      }
      return { figures, holds };
    } finally {
      cli.remove();
      await app.dispose();
    }
  },
};

async function tellAll(mistakes: readonly Mistake[], log: (line: string) => void): Promise<number> {
  let count = 0;
  for (const { made, told, says } of mistakes) {
    const words = await told();
    const isTold = says.test(words) && !never.test(words);
    log(`${isTold ? '' : 'NOT TOLD '}${made}: ${words.replace(/\s+/g, ' ').slice(0, 400)}`);
    if (isTold) count += 1;
  }
  return count;
}

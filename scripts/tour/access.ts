import { execFile } from 'node:child_process';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { indent, say, showJson } from './print.ts';
import { Surprise } from './surprise.ts';
import type { Step, Tour } from './tour.ts';

const commandLine = fileURLToPath(new URL('../../bin/gatehouse.js', import.meta.url));

export const grantAccess: Step = {
  title: 'Assign access',
  about:
    'A registration makes an app that nobody may use yet. The operator assigns it to the user, on the command line.',
  run: async (tour) => {
    const { app_id } = tour.recall('client');
    await gatehouse(tour, [
      'access',
      'grant',
      '--account',
      'demo',
      '--app',
      String(app_id),
      '--user',
      tour.demo.user.email,
    ]);
  },
};

/** Runs a command on the service's database and prints it with what it said. */
async function gatehouse({ demoFile }: Tour, args: readonly string[]): Promise<void> {
  say(`\n$ gatehouse ${args.join(' ')} --json\n`);
  try {
    const { stdout } = await promisify(execFile)(process.execPath, [commandLine, ...args, '--json'], {
      env: { ...database(demoFile), ...process.env },
    });
    say(`${indent(showJson(JSON.parse(stdout)))}\n`);
  } catch (error) {
    const { stderr } = error as { stderr?: string };
    throw new Surprise(`the command failed: ${stderr?.trim() || String(error)}`);
  }
}

/** Where `demo.json` lies are also the database and the key, unless the settings say otherwise. */
function database(demoFile: string): Record<string, string> {
  const settings = ['DATABASE_URL', 'MASTER_KEY_FILE'];
  if (settings.some((name) => process.env[name])) return {};
  const folder = dirname(demoFile);
  return { DATABASE_URL: `sqlite:${join(folder, 'gatehouse.db')}`, MASTER_KEY_FILE: join(folder, 'master.key') };
}

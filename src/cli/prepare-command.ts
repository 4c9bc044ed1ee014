import { dirname } from 'node:path';
import type { Command } from 'commander';
import { consoleFolder } from '../programs/console-files.ts';
import { programFile } from '../programs/programs.ts';
import { packages } from '../runtime/installation.ts';
import { slim } from '../runtime/slim.ts';
import { makeWhole } from '../whole-program/make.ts';
import { addCommand, type Outlet } from './command.ts';

export function addPrepareCommand(program: Command, outlet: Outlet): void {
  const summary = 'make what a first start makes: for an installation that is read-only afterwards';
  addCommand<{ slim?: true }>(program, 'prepare', summary, outlet, async ({ options }) => {
    const folder = dirname(programFile('hook-process'));
    const service = await makeWhole();
    const screens = await consoleFolder();
    const made = `${folder} holds the programs that run hooks and build their packages.\n${describe(service)}\n${screens} holds the console.\n`;
    const json = { folder, service_folder: service, console_folder: screens };
    if (!options.slim) return { json, text: made };
    const bytes = slim(packages);
    const text = `${made}Removed ${Math.round(bytes / 1e6)} MB from node_modules that this machine does not need.\n`;
    return { json: { ...json, removed_bytes: bytes }, text };
  }).option('--slim', 'also remove headers and native modules that are not for this machine from node_modules');
}

function describe(service: string | null): string {
  return service === null
    ? 'The service starts from its sources: nothing can be kept in .cache, or they have just changed.'
    : `${service} holds the service as one file, which starts faster.`;
}

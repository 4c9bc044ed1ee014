import { dirname } from 'node:path';
import type { Command } from 'commander';
import { programFile } from '../programs/programs.ts';
import { packages } from '../runtime/installation.ts';
import { slim } from '../runtime/slim.ts';
import { addCommand, type Outlet } from './command.ts';

export function addPrepareCommand(program: Command, outlet: Outlet): void {
  const summary = 'make what a first start makes: for an installation that is read-only afterwards';
  addCommand<{ slim?: true }>(program, 'prepare', summary, outlet, async ({ options }) => {
    const folder = dirname(programFile('hook-process'));
    const made = `${folder} holds the programs that run hooks and build their packages.\n`;
    if (!options.slim) return { json: { folder }, text: made };
    const bytes = slim(packages);
    const text = `${made}Removed ${Math.round(bytes / 1e6)} MB from node_modules that this machine does not need.\n`;
    return { json: { folder, removed_bytes: bytes }, text };
  }).option('--slim', 'also remove headers and native modules that are not for this machine from node_modules');
}

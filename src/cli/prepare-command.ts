import { dirname } from 'node:path';
import type { Command } from 'commander';
import { programFile } from '../programs/programs.ts';
import { addCommand, type Outlet } from './command.ts';

export function addPrepareCommand(program: Command, outlet: Outlet): void {
  const summary = 'make what a first start makes: for an installation that is read-only afterwards';
  addCommand(program, 'prepare', summary, outlet, async () => {
    const folder = dirname(programFile('hook-process'));
    return { json: { folder }, text: `${folder} holds the programs that run hooks and build their packages.\n` };
  });
}

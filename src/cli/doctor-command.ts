import type { Command } from 'commander';
import { addCommand, type Outlet } from './command.ts';
import { examine } from './doctor.ts';
import { table } from './output.ts';

export function addDoctorCommand(program: Command, outlet: Outlet): void {
  const summary = 'check the layers of protection, the keys and the store';
  addCommand(program, 'doctor', summary, outlet, async () => {
    const findings = await examine(process.versions.node);
    return {
      json: findings.map(({ layer, status, detail, remedy }) => ({ layer, status, detail, remedy })),
      text: table(
        ['layer', 'status', 'detail', 'remedy'],
        findings.map(({ layer, status, detail, remedy }) => [layer, status, detail, remedy]),
      ),
      exitCode: findings.some(({ fatal }) => fatal) ? 1 : 0,
    };
  });
}

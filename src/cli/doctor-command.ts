import type { Command } from 'commander';
import { printableValue } from '../adapters/printable.ts';
import { Failure } from '../domain/failure.ts';
import { type Answer, addCommand, type Outlet } from './command.ts';
import { examine } from './doctor.ts';
import { table } from './output.ts';
import { examineResource } from './resource-doctor/index.ts';

interface DoctorOptions {
  readonly clientId?: string;
  readonly scope?: string;
  readonly signIn?: true;
}

export function addDoctorCommand(program: Command, outlet: Outlet): void {
  const summary = 'check the layers of protection, the keys and the store; or an API, as its clients meet it';
  addCommand<DoctorOptions>(program, 'doctor [resource-url]', summary, outlet, ({ args: [url], options }) => {
    if (url !== undefined) return examineApi(String(url), options);
    const { clientId, scope, signIn } = options;
    if (clientId === undefined && scope === undefined && signIn === undefined) return examineService();
    const message = '--sign-in, --client-id and --scope are for an API: give its address as well';
    throw new Failure('value_invalid', { name: 'resource-url', message });
  })
    .option('--sign-in', 'with an API: go on to the token and the call; prints an address to open in a browser')
    .option('--client-id <client_id>', 'with an API: a client that is registered, instead of a new one')
    .option('--scope <scopes>', 'with an API: scopes to ask for, separated by spaces; by default those that it names');
}

async function examineService(): Promise<Answer> {
  const findings = await examine(process.versions.node);
  return {
    json: findings,
    text: table(
      ['layer', 'status', 'detail', 'remedy'],
      findings.map(({ layer, status, detail, remedy }) => [layer, status, detail, remedy]),
    ),
    exitCode: findings.some(({ status }) => status === 'failed') ? 1 : 0,
  };
}

async function examineApi(url: string, { clientId, scope, signIn }: DoctorOptions): Promise<Answer> {
  const { protocol = '', hash, username, password } = URL.parse(url) ?? {};
  if (!/^https?:$/.test(protocol) || hash || username || password) {
    const message = 'resource-url must be a web address of an API, without a user, a password and a fragment';
    throw new Failure('value_invalid', { name: 'resource-url', message });
  }
  const steps = await examineResource({ url, clientId, scope, signIn: signIn && show });
  return {
    json: { resource: url, steps },
    text: table(
      ['step', 'status', 'detail', 'remedy'],
      steps.map(({ step, status, detail, remedy }) => [step, status, detail, remedy]),
    ),
    exitCode: steps.some(({ status }) => status === 'broken') ? 1 : 0,
  };
}

function show(address: string): void {
  process.stderr.write(`Open this address in a browser, and sign in:\n${printableValue(address)}\n`);
}

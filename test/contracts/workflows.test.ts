import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { parse } from 'yaml';
import { type Service, startService } from '../support/process.ts';
import { type RunningAccount, runningAccount } from '../support/running-account.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const folder = join(root, 'openapi/workflows');
const names = readdirSync(folder).map((file) => file.replace(/\.yaml$/, ''));

/** The members of a file of workflows (Arazzo 1.0) that this test reads. */
interface ArazzoDocument {
  readonly sourceDescriptions: readonly { readonly name: string }[];
  readonly workflows: readonly {
    readonly workflowId: string;
    readonly steps: readonly { readonly stepId: string }[];
  }[];
}

/** The members of the report of `redocly respect` that this test reads. */
interface Report {
  readonly files: Readonly<Record<string, { readonly executedWorkflows: readonly ReportedWorkflow[] }>>;
}

interface ReportedWorkflow {
  readonly workflowId: string;
  readonly executedSteps: readonly ReportedStep[];
}

interface ReportedStep {
  readonly stepId: string;
  readonly checks: readonly { readonly name: string; readonly status: string; readonly message?: string }[];
}

describe('the workflows against the running service', () => {
  let service: Service;
  let account: RunningAccount;

  /** What each file asks for as inputs; a file that is not here fails its test. */
  const inputs: Readonly<Record<string, () => Promise<Record<string, string>>>> = {
    'documented-door': pair,
    'standard-door': pair,
    refresh: async () => {
      const { client, tokens } = await account.signIn({ token_endpoint_auth_method: 'client_secret_post' });
      const { client_id, client_secret = '' } = client;
      return { client_id, client_secret, refresh_token: tokens.refresh_token };
    },
  };

  before(async () => {
    service = await startService({ database: 'sqlite', demo: true });
    account = runningAccount(service, 'demo', `127.0.0.1:${service.port}`);
  });
  after(async () => {
    account.close();
    await service.installation.dispose();
  });

  async function pair(): Promise<Record<string, string>> {
    const scope = ['--scope', 'register_clients'];
    const { client_id, client_secret } = await service.cli('credential', 'create', '--account', 'demo', ...scope);
    return { client_id, client_secret };
  }

  /** Runs a file as a consumer does and answers what the tool reports. */
  async function respect(name: string, { sourceDescriptions }: ArazzoDocument): Promise<readonly ReportedWorkflow[]> {
    const output = mkdtempSync(join(tmpdir(), 'gatehouse-respect-'));
    const given = Object.entries((await inputs[name]?.()) ?? assert.fail(`no inputs for ${name}`));
    try {
      await promisify(execFile)(
        process.execPath,
        [
          join(root, 'node_modules/.bin/redocly'),
          'respect',
          `openapi/workflows/${name}.yaml`,
          ...given.flatMap(([member, value]) => ['--input', `${member}=${value}`]),
          ...sourceDescriptions.flatMap((source) => ['--server', `${source.name}=${service.baseUrl}`]),
          ...['--json-output', join(output, 'report.json')],
        ],
        {
          cwd: root,
          env: { PATH: process.env['PATH'], REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' },
        },
      );
      const report = JSON.parse(readFileSync(join(output, 'report.json'), 'utf8')) as Report;
      return Object.values(report.files).flatMap(({ executedWorkflows }) => executedWorkflows);
    } finally {
      rmSync(output, { recursive: true });
    }
  }

  for (const name of names) {
    test(`every step of ${name} does what it says`, async () => {
      const document = parse(readFileSync(join(folder, `${name}.yaml`), 'utf8')) as ArazzoDocument;
      const executed = await respect(name, document);
      assert.deepEqual(
        executed.map(({ workflowId, executedSteps }) => [workflowId, executedSteps.map(({ stepId }) => stepId)]),
        document.workflows.map(({ workflowId, steps }) => [workflowId, steps.map(({ stepId }) => stepId)]),
      );
      for (const { checks } of executed.flatMap(({ executedSteps }) => executedSteps)) {
        assert.deepEqual(
          checks.filter(({ status }) => status !== 'success'),
          [],
        );
        // Each answer was held against the contract too.
        assert.ok(checks.some((check) => check.name === 'status code check'));
      }
    });
  }
});

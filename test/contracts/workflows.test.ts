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
import { sampled } from '../support/sample.ts';
import { CookieJar, password, submit, walk } from '../support/sign-in.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const folder = join(root, 'openapi/workflows');
const names = readdirSync(folder).map((file) => file.replace(/\.yaml$/, ''));

/** The members of a file of workflows (Arazzo 1.0) that this test reads. */
interface ArazzoDocument {
  readonly sourceDescriptions: readonly { readonly name: string }[];
  readonly workflows: readonly {
    readonly workflowId: string;
    readonly description: string;
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
  // biome-ignore lint/suspicious/noExplicitAny: the body of any answer
  readonly response: { readonly body: any };
  readonly checks: readonly { readonly name: string; readonly status: string; readonly message?: string }[];
}

const redocly = join(root, 'node_modules/.bin/redocly');
const environment = { PATH: process.env['PATH'], REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' };

function bodyOf({ executedSteps }: ReportedWorkflow, stepId: string): ReportedStep['response']['body'] {
  return executedSteps.find((step) => step.stepId === stepId)?.response.body;
}

/**
 * On a busy machine it may be held up, after it has read the contract, for longer than the service keeps an idle
 * connection, and send its first request on one that is closed: nothing was done.
 */
function isHeldUp({ stdout = '' }: { readonly stdout?: string }): boolean {
  return /\(cause: UND_ERR_SOCKET\)/.test(stdout) && /Steps: 1 failed, 1 total/.test(stdout);
}

/** How often in a row, beside a load of fifteen for each core. */
const mostHeldUp = 5;

describe('the workflows against the running service', () => {
  let service: Service;
  let account: RunningAccount;

  /** What each file asks for as inputs; a file that is not here fails its test. */
  const inputs: Readonly<Record<string, () => Promise<Record<string, string>>>> = {
    'documented-door': () => pair('register_clients'),
    'standard-door': () => pair('register_clients'),
    refresh: async () => {
      const { client, tokens } = await account.signIn({ token_endpoint_auth_method: 'client_secret_post' });
      const { client_id, client_secret = '' } = client;
      return { client_id, client_secret, refresh_token: tokens.refresh_token };
    },
  };

  /** The walks that need what the one before answered; other files are run as a whole. */
  const walks: Readonly<Record<string, (document: ArazzoDocument) => Promise<readonly ReportedWorkflow[]>>> = {
    'main-job': walkMainJob,
  };

  before(async () => {
    service = await startService({ database: 'sqlite', demo: true });
    account = runningAccount(service, 'demo', `127.0.0.1:${service.port}`);
  });
  after(async () => {
    account.close();
    await service.installation.dispose();
  });

  async function pair(scope: string): Promise<Record<string, string>> {
    const made = await service.cli('credential', 'create', '--account', 'demo', '--scope', scope);
    return { client_id: made.client_id, client_secret: made.client_secret };
  }

  /** Runs a file as a consumer does and answers what the tool reports. */
  async function respect(name: string, { sourceDescriptions }: ArazzoDocument): Promise<readonly ReportedWorkflow[]> {
    const given = Object.entries((await inputs[name]?.()) ?? assert.fail(`no inputs for ${name}`));
    return reported((report) =>
      promisify(execFile)(
        process.execPath,
        [
          redocly,
          'respect',
          `openapi/workflows/${name}.yaml`,
          ...given.flatMap(([member, value]) => ['--input', `${member}=${value}`]),
          ...sourceDescriptions.flatMap((source) => ['--server', `${source.name}=${service.baseUrl}`]),
          ...['--json-output', report],
        ],
        { cwd: root, env: environment },
      ),
    );
  }

  /** Runs a workflow by the command that the documentation of the account shows, with these variables of the shell. */
  async function respectAsShown(workflowId: string, variables: Record<string, string>): Promise<ReportedWorkflow> {
    const { text } = await account.send('GET', '/docs');
    const commands = [...text.matchAll(/<pre [^>]*><code>(npx [^<]*)<\/code>/g)].map(([, shown = '']) => shown);
    const command = commands.find((shown) => shown.includes(` --workflow ${workflowId} `)) ?? assert.fail(workflowId);
    const line = command.replaceAll('&quot;', '"').replace(/^npx @redocly\/cli@2 /, '"$node" "$redocly" ');
    const [ran] = await reported((report) =>
      promisify(execFile)('sh', ['-c', `${line} --json-output "$report"`], {
        env: { ...environment, ...variables, node: process.execPath, redocly, report },
      }),
    );
    return ran ?? assert.fail('nothing ran');
  }

  async function reported(run: (report: string) => Promise<unknown>): Promise<readonly ReportedWorkflow[]> {
    const output = mkdtempSync(join(tmpdir(), 'gatehouse-respect-'));
    try {
      const file = join(output, 'report.json');
      for (let left = mostHeldUp; ; left -= 1) {
        const error = await run(file).then(
          () => null,
          (cause: { readonly stdout?: string }) => cause,
        );
        if (!error) break;
        if (left === 0 || !isHeldUp(error)) throw error;
      }
      const report = JSON.parse(readFileSync(file, 'utf8')) as Report;
      return Object.values(report.files).flatMap(({ executedWorkflows }) => executedWorkflows);
    } finally {
      rmSync(output, { recursive: true });
    }
  }

  /** As a reader of the documentation does it: what an answer holds becomes a variable for the next command. */
  async function walkMainJob({ workflows }: ArazzoDocument): Promise<readonly ReportedWorkflow[]> {
    const { email } = await account.makeUser();
    const caller = await pair('manage_all');
    const first = await respectAsShown('registerAndAssign', { ...caller, email });
    const client = bodyOf(first, 'register');
    const app = { app_client_id: client.client_id, app_client_secret: client.client_secret };
    const [, address = ''] = /`\{base_url\}([^`]*)`/.exec(workflows[1]?.description ?? '') ?? [];
    const code = await signInAt(address.replace('<client_id>', client.client_id), email);
    const second = await respectAsShown('redeemAndRefresh', { ...app, code });
    const third = await respectAsShown('takeAway', {
      ...caller,
      ...app,
      app_id: String(client.app_id),
      user_id: String(bodyOf(first, 'findUser')[0].id),
      refresh_token: bodyOf(second, 'refresh').refresh_token,
    });
    return [first, second, third];
  }

  /** The code that the browser brings back to the client. */
  async function signInAt(address: string, email: string): Promise<string> {
    let at = await walk(account, new CookieJar(), address);
    at = await submit(account, at, { username: email, password });
    if (/value="allow"/.test(at.answer.text)) at = await submit(account, at, { decision: 'allow' });
    return new URL(String(at.answer.headers['location'])).searchParams.get('code') ?? '';
  }

  // The longest, which registers and refreshes too; the drill M8 walks all.
  for (const name of sampled(names, 4, 1)) {
    test(`every step of ${name} does what it says`, async () => {
      const document = parse(readFileSync(join(folder, `${name}.yaml`), 'utf8')) as ArazzoDocument;
      const executed = await (walks[name] ?? ((whole) => respect(name, whole)))(document);
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

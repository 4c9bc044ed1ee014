/** The inspector of the protocol, unmodified, in a real browser. */

import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { run } from '../../scripts/conformance/toolchain.ts';
import { openBrowser } from '../support/browser.ts';
import { freePort } from '../support/process.ts';
import { until } from '../support/until.ts';
import type { ExampleSite } from './example-site.ts';

const version = '2.12.0';

/** Connects, calls a tool, and calls one that needs more scopes; answers what to tell of it. */
export async function walkInInspector(site: ExampleSite, parent: string): Promise<string> {
  const folder = join(parent, 'inspector');
  mkdirSync(folder);
  writeFileSync(join(folder, 'package.json'), '{"private":true}');
  const packages = `@modelcontextprotocol/inspector@${version}`;
  await run(['npm', 'install', '--ignore-scripts', '--no-audit', '--no-fund', packages], { cwd: folder });
  const { child, address } = await startInspector(site, folder);
  try {
    const { page, close } = await openBrowser();
    try {
      await page.goto(address);
      await walk(page, site);
    } catch (error) {
      throw new Error(`at ${page.url().slice(0, 200)}: ${await page.innerText('body')}`, { cause: error });
    } finally {
      await close();
    }
  } finally {
    child.kill('SIGKILL');
  }
  return 'connects, calls, and asks for more scopes';
}

async function walk(page: Page, site: ExampleSite): Promise<void> {
  await page.getByRole('switch').first().click({ force: true });
  await signIn(page, site);
  await page.getByText('Connected', { exact: true }).waitFor();
  await page.getByText('Tools', { exact: true }).click();
  await page.getByText('list_notes').first().click();
  await page.getByRole('button', { name: 'Execute Tool' }).click();
  await page
    .getByText(/^\[.*\]$/)
    .first()
    .waitFor();
  await callAddNote(page);
  // It says which scopes are new, and keeps the others.
  await page.getByText('Additional permissions required').waitFor();
  await page.getByRole('button', { name: 'Authorize' }).click();
  await page.getByText('notes:write').waitFor();
  await page.getByRole('button', { name: 'Allow' }).click();
  await page.getByText('Connected', { exact: true }).or(page.getByText('add_note')).first().waitFor();
  await page.getByText('Tools', { exact: true }).click();
  await callAddNote(page);
  await page.getByText('added', { exact: true }).first().waitFor();
}

async function callAddNote(page: Page): Promise<void> {
  await page.getByText('add_note').first().click();
  await page.getByLabel('note').first().fill('from the inspector');
  await page.getByRole('button', { name: 'Execute Tool' }).click();
}

async function signIn(page: Page, { user }: ExampleSite): Promise<void> {
  await page.getByLabel('User name or e-mail').fill(user.email);
  await page.getByLabel('Password').fill(user.password);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  await page.getByRole('button', { name: 'Allow' }).click();
}

async function startInspector(
  { resource }: ExampleSite,
  cwd: string,
): Promise<{ readonly child: ChildProcess; readonly address: string }> {
  const program = 'node_modules/@modelcontextprotocol/inspector/clients/launcher/build/index.js';
  const own = { HOME: cwd, CLIENT_PORT: String(await freePort()), MCP_AUTO_OPEN_ENABLED: 'false' };
  const child = spawn(process.execPath, [program, '--web', '--transport', 'http', '--server-url', resource], {
    cwd,
    env: { PATH: process.env['PATH'], MCP_INSPECTOR_SECRET_STORE: 'memory', ...own },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let said = '';
  const ended = once(child, 'close');
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      said += text;
    });
  }
  const find = () => /http:\/\/\S+TOKEN=\w+/.exec(said)?.[0];
  await Promise.race([until(() => find() !== undefined), ended.then(() => assert.fail(`it ended: ${said}`))]);
  return { child, address: find() ?? '' };
}

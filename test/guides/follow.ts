/**
 * Follows pages of the documentation literally: makes a copy of this checkout as a clone would be, with an empty home,
 * and runs each block of commands in its order, saves each file, and signs in where the page sends the reader to a
 * browser. Two things differ from what is written: ports and databases are those of this run, and from the second page
 * on `npm ci` has been done.
 */

import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Guide, guides, readGuide } from '../../src/pages/docs/guides.ts';
import { openBrowser } from '../support/browser.ts';
import { freshDatabase } from '../support/postgres.ts';
import { freePort } from '../support/process.ts';
import { type Block, readBlocks } from './blocks.ts';
import { openShell, type Shell } from './shell.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
/** The address of an empty PostgreSQL database in the pages. */
const exampleDatabase = 'postgres://gatehouse:secret@127.0.0.1:5432/gatehouse';
/** What the other pages count on. */
const first = 'start';
/** Pages that begin with a fresh clone. */
const fromScratch = new Set([first, 'readme', 'mcp']);
/** Pages that show commands for reading; other tests hold them. */
const shown = new Set(['hooks', 'integrations', 'sdks', 'users', 'operations', 'changelog', 'go-to-production']);

/** The pages with commands, the first one first. */
export const followed: readonly Guide[] = guides
  .filter((guide) => !shown.has(guide.name) && readBlocks(readGuide(guide)).some(({ kind }) => kind !== 'elsewhere'))
  .toSorted((one, other) => Number(other.name === first) - Number(one.name === first));

/** The files that a clone has, as they are now. */
export function copyCheckout(target: string): void {
  const files = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], { cwd: root });
  for (const file of files.toString('utf8').split('\0').filter(Boolean)) {
    if (existsSync(join(root, file))) cpSync(join(root, file), join(target, file));
  }
}

interface Place {
  readonly shell: Shell;
  readonly folder: string;
  /** Replaces the ports and the database of the page by those of this run. */
  readonly here: (text: string) => string;
  readonly isInstalled: boolean;
}

interface User {
  readonly email: string;
  readonly password: string;
}

function demoUser(folder: string): User {
  return JSON.parse(readFileSync(join(folder, 'data/demo.json'), 'utf8')).user;
}

/** Signs in, and answers the code that the browser brings back to an address where nothing answers. */
function signInForCode(address: string, { email, password }: User): string {
  const browser = join(root, 'scripts/sdk/browser.ts');
  const end = execFileSync(process.execPath, [browser, address, email, password], { encoding: 'utf8' });
  const code = new URL(end).searchParams.get('code');
  if (code === null) throw new Error(`the browser ended at ${end}`);
  return code;
}

async function runBlock({ shell, folder, here, isInstalled }: Place, block: Block, before: string): Promise<string> {
  const text = here(isInstalled ? block.text.replace(/^npm ci(?: && |$)/m, '') : block.text);
  if (block.kind === 'file') {
    mkdirSync(dirname(join(folder, block.name)), { recursive: true });
    writeFileSync(join(folder, block.name), text);
    return '';
  }
  if (block.kind === 'elsewhere') return '';
  if (block.kind === 'server') {
    await shell.serve(text, Number(here(`localhost:${block.port}`).split(':')[1]));
    return '';
  }
  if (block.needs === 'stopped') await shell.stop();
  if (block.needs !== 'browser') return shell.run(text);
  const address = before.trim().split('\n').at(-1) ?? '';
  return shell.run(text, `${signInForCode(address, demoUser(folder))}\n`);
}

/** Opens the application of a quick start and signs in there, as its last section says. */
async function signInToApplication({ folder, here }: Place): Promise<void> {
  const { email, password } = demoUser(folder);
  const { page, close } = await openBrowser();
  try {
    await page.goto(here('http://localhost:8080/'));
    await page.getByText('Sign in', { exact: true }).click();
    await page.getByLabel('User name or e-mail').fill(email);
    await page.getByLabel('Password').fill(password);
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
    const allow = page.getByRole('button', { name: 'Allow' });
    const signedIn = page.getByText(`Signed in: ${email}`);
    await allow.or(signedIn).waitFor();
    if (await allow.isVisible()) await allow.click();
    await signedIn.waitFor();
  } catch (error) {
    throw new Error(`at ${page.url()}: ${await page.innerText('body')}`, { cause: error });
  } finally {
    await close();
  }
}

async function followPage(page: Guide, place: Place, isAll: boolean): Promise<void> {
  let said = '';
  for (const block of readBlocks(readGuide(page))) {
    try {
      said = await runBlock(place, block, said);
    } catch (error) {
      throw new Error(`${page.file}:${block.line}: ${error instanceof Error ? error.message : error}`);
    }
    // Of the first page the others need a service that runs.
    if (!isAll && block.kind === 'server') return;
  }
}

/** Follows a page, behind the first one unless it is that; `installed`: packages that an earlier page installed. */
export async function follow(guide: Guide, parent: string, installed: string | null): Promise<void> {
  const folder = join(parent, guide.name, 'gatehouse');
  const home = join(parent, guide.name, 'home');
  mkdirSync(home, { recursive: true });
  copyCheckout(folder);
  if (installed !== null) execFileSync('cp', ['-al', installed, join(folder, 'node_modules')]);
  const [port, appPort] = [await freePort(), await freePort()];
  const database = readGuide(guide).includes(exampleDatabase) ? await freshDatabase() : null;
  const here = (text: string) =>
    text
      .replaceAll('localhost:3000', `localhost:${port}`)
      .replaceAll('8080', `${appPort}`)
      .replaceAll(exampleDatabase, database?.url ?? exampleDatabase);
  // What this machine needs to reach its registries stays.
  const cache = execFileSync('npm', ['config', 'get', 'cache'], { encoding: 'utf8' }).trim();
  const go = { GOPATH: join(parent, 'go'), GOFLAGS: '-modcacherw' };
  const env = {
    ...process.env,
    ...go,
    HOME: home,
    PORT: String(port),
    MCP_PORT: String(appPort),
    npm_config_cache: cache,
  };
  const shell = openShell(folder, join(parent, guide.name), env);
  const place = { shell, folder, here, isInstalled: installed !== null };
  try {
    for (const page of fromScratch.has(guide.name) ? [] : guides.filter(({ name }) => name === first)) {
      await followPage(page, place, false);
    }
    await followPage(guide, place, true);
    const hasApplication = readBlocks(readGuide(guide)).some((block) => block.kind === 'server' && block.port === 8080);
    if (hasApplication && guide.name !== 'mcp') await signInToApplication(place);
  } finally {
    await shell.stop();
    await database?.drop();
  }
}

import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isThere, run } from '../../scripts/conformance/toolchain.ts';
import type { ExampleSite } from './example-site.ts';

const sources = fileURLToPath(new URL('python', import.meta.url));
const browser = fileURLToPath(new URL('../../scripts/sdk/browser.ts', import.meta.url));

/**
 * Has the official Python client go the whole way, by registration and by the metadata document at `document`; answers
 * what to tell of it. Rejects with what went wrong.
 */
export async function walkInPython({ resource, user }: ExampleSite, document: string, parent: string): Promise<string> {
  if (!isThere('python3')) return 'left out: python3 not found';
  const cwd = join(parent, 'python');
  cpSync(sources, cwd, { recursive: true });
  await run(['python3', '-m', 'venv', 'venv'], { cwd });
  await run(['venv/bin/pip', 'install', '--quiet', '--no-cache-dir', '--requirement', 'requirements.txt'], { cwd });
  const person = [process.execPath, browser, user.email, user.password];
  await run(['venv/bin/python', 'mcp_client.py', resource, document, ...person], { cwd });
  return 'goes the whole way, by registration and by its metadata document';
}

/**
 * Writes the documentation that the service serves as files that open from a folder, without a server or a network.
 *
 *     node scripts/docs.ts               into dist/docs, in place of what was there
 *     node scripts/docs.ts --out <dir>   into another folder, beside what else is there
 *     node scripts/docs.ts --pictures    takes the pictures of docs/pictures again, in a real browser, and nothing else
 */
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import type { Contract } from '../src/http/contract.ts';
import { docsFiles } from '../src/pages/docs/docs-files.ts';
import { pictureFolder } from '../src/pages/docs/pictures.ts';
import { baseUrlPlaceholder } from '../src/pages/docs/workflow-view.ts';
import { picturesVariable } from '../test/support/pictures.ts';
import { runGroup } from './run-group.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const usualFolder = join(root, 'dist/docs');
const { values: flags } = parseArgs({
  options: { out: { type: 'string', default: usualFolder }, pictures: { type: 'boolean', default: false } },
});

if (flags.pictures) {
  const tests = ['scripts/test.ts', 'test/browser/console/pictures.test.ts'];
  const env = { ...process.env, [picturesVariable]: pictureFolder };
  process.exit(await runGroup(process.execPath, tests, { cwd: root, env, stdio: 'inherit' }));
}

/** The file for a path of the service. All pages lie beside each other, so one address serves every link. */
function fileName(path: string): string {
  if (path === '/docs') return 'index.html';
  const name = path.replace(/^\/docs\//, '').replace(/^\//, '');
  return /\.\w+$/.test(name) ? name : `${name}.html`;
}

const surfaces = readdirSync(join(root, 'generated'))
  .filter((file) => file.endsWith('.json'))
  .map((file) => ({
    name: file.slice(0, -'.json'.length),
    contract: JSON.parse(readFileSync(join(root, 'generated', file), 'utf8')) as Contract,
  }));

if (flags.out === usualFolder) rmSync(usualFolder, { recursive: true, force: true });
for (const [path, make] of docsFiles(surfaces, fileName)) {
  const target = join(flags.out, fileName(path));
  mkdirSync(dirname(target), { recursive: true });
  writeFileSync(target, make(baseUrlPlaceholder).body);
}
process.stdout.write(`${join(flags.out, 'index.html')}\n`);

/**
 * Writes the documentation that the service serves as files that open from a folder, without a server or a network.
 *
 *     node scripts/docs.ts               into dist/docs, in place of what was there
 *     node scripts/docs.ts --out <dir>   into another folder, beside what else is there
 */
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import type { Contract } from '../src/http/contract.ts';
import { docsFiles } from '../src/pages/docs/docs-files.ts';
import { baseUrlPlaceholder } from '../src/pages/docs/workflow-view.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const usualFolder = join(root, 'dist/docs');
const { values: flags } = parseArgs({ options: { out: { type: 'string', default: usualFolder } } });

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

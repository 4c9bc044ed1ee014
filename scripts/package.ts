/**
 * Makes the package that npm installs, from the sources: JavaScript in place of TypeScript, which Node does not run
 * below `node_modules`; the contracts and docs that the service serves; and the exact versions of `package-lock.json`
 * as `npm-shrinkwrap.json`, so that an installation has the packages that were tested. Beside it lies the list of what
 * it is made of (CycloneDX).
 *
 *     node scripts/package.ts               into dist: gatehouse-<version>.tgz and gatehouse-<version>.cdx.json
 *     node scripts/package.ts --out <dir>   into another folder
 */
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import packageJson from '../package.json' with { type: 'json' };
import packageLock from '../package-lock.json' with { type: 'json' };
import { compiler } from './compiler.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const { values: flags } = parseArgs({ options: { out: { type: 'string', default: join(root, 'dist') } } });

/** What is packed as it is; the sources are compiled first, and keep their files of other kinds. */
const packed = ['bin', 'deploy', 'docs', 'generated', 'openapi', 'src', 'types'];
const packedFiles = ['CHANGELOG.md', 'LICENSE', 'README.md', 'SECURITY.md'];
/** Types that are needed to compile, except those that `gatehouse hook` hands out. */
const isTypeScript = (file: string) => /\.c?ts$/.test(file) && !file.startsWith(join(root, 'types'));

/** Runs a tool that npm brought along; what it says goes to standard error. */
function run(program: string, args: readonly string[], cwd: string): string {
  return execFileSync(program, args, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] });
}

function compile(folder: string): void {
  run(process.execPath, [compiler, '--project', join(root, 'scripts/package'), '--outDir', folder], root);
}

/** The types of contracts are nothing but types: compiled, they are empty. */
function copySources(folder: string): void {
  rmSync(join(folder, 'generated'), { recursive: true, force: true });
  const compiled = join(root, 'bin/start.js');
  for (const name of [...packed, ...packedFiles]) {
    const filter = (file: string) => !isTypeScript(file) && file !== compiled;
    cpSync(join(root, name), join(folder, name), { recursive: true, filter });
  }
}

const { private: _, scripts, devDependencies, overrides, ...manifest } = packageJson;
const { name, version } = manifest;

const locked = Object.entries(packageLock.packages as Record<string, { readonly dev?: boolean }>);
const needed = locked.filter(([place, { dev }]) => place !== '' && !dev);

/** The overrides have had their effect on these versions: npm heeds those of the outermost package only. */
const lock = { ...packageLock, version, packages: { '': manifest, ...Object.fromEntries(needed) } };

/** Without its overrides npm would call a replaced package a mistake. Those for development name others that are. */
function listMaterials(folder: string): string {
  const places = new Set(needed.map(([place]) => place));
  const ours = Object.entries(overrides).filter(([replacedIn]) => places.has(`node_modules/${replacedIn}`));
  writeJson(join(folder, 'package.json'), { ...manifest, overrides: Object.fromEntries(ours) });
  writeJson(join(folder, 'package-lock.json'), lock);
  return run('npm', ['sbom', '--package-lock-only', '--sbom-format=cyclonedx'], folder);
}

function writeJson(file: string, content: unknown): void {
  writeFileSync(file, `${JSON.stringify(content, null, 2)}\n`);
}

const temporary = mkdtempSync(join(tmpdir(), 'gatehouse-package-'));
try {
  const folder = join(temporary, 'package');
  compile(folder);
  copySources(folder);
  // No script: nothing runs while it is installed.
  writeJson(join(folder, 'package.json'), manifest);
  writeJson(join(folder, 'npm-shrinkwrap.json'), lock);
  const out = resolve(flags.out);
  mkdirSync(out, { recursive: true });
  run('npm', ['pack', '--silent', '--pack-destination', out], folder);
  const base = join(out, `${name}-${version}`);
  writeFileSync(`${base}.cdx.json`, listMaterials(temporary));
  process.stdout.write(`${base}.tgz\n${base}.cdx.json\n`);
} finally {
  rmSync(temporary, { recursive: true, force: true });
}

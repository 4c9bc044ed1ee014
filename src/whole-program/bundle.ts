/** Bundles the service and its packages, but for those with add-ons, into one script. */

import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, extname, isAbsolute, join, relative } from 'node:path';
import { build, type Plugin } from 'esbuild';
import { packages, root } from '../runtime/installation.ts';

/** Add-ons and what finds its own files; drivers of databases that the service does not use; what is loaded if it is there. */
const notBundled = [
  '@node-rs/*',
  'better-sqlite3',
  'esbuild',
  'isolated-vm',
  '@opentelemetry/*',
  ...[
    'mariadb',
    'mariadb/callback',
    'mysql',
    'mysql2',
    'oracledb',
    'pg-native',
    'pg-query-stream',
    'sqlite3',
    'tedious',
  ],
];

/** Whether a file is the service's own. */
export function isSource(path: string): boolean {
  const from = relative(root, path);
  return !from.startsWith('..') && !isAbsolute(from) && !from.startsWith('node_modules');
}

/** A module of the service finds files beside itself: in the bundle it asks for its place by its path. */
const placesOfModules: Plugin = {
  name: 'places of modules',
  setup({ onLoad }) {
    onLoad({ filter: /\.[jt]s$/ }, ({ path }) => {
      if (!isSource(path)) return null;
      const text = readFileSync(path, 'utf8');
      if (!text.includes('import.meta.')) return null;
      const own = JSON.stringify(relative(root, path));
      const contents = text
        .replaceAll('import.meta.url', `installation.url(${own})`)
        .replaceAll('import.meta.filename', `installation.filename(${own})`)
        .replaceAll('import.meta.resolve', 'installation.resolve');
      return { loader: extname(path) === '.ts' ? 'ts' : 'js', contents };
    });
  },
};

/** What `validator-shortcuts.ts` changes must be what the validator reads: a module that both ask for by its name. */
const changedSchema: Plugin = {
  name: 'schema that is changed',
  setup({ onResolve }) {
    onResolve({ filter: /\/openapi\.v3_1\.modified\.schema\.json$/ }, () => {
      return { path: 'express-openapi-validator/dist/framework/openapi.v3_1.modified.schema.json', external: true };
    });
  },
};

const longBytes = 10_000;

/** V8 parses a long text of JSON in less time than it makes the same of code, and keeps less of it. */
const longJson: Plugin = {
  name: 'long JSON',
  setup({ onLoad }) {
    onLoad({ filter: /\.json$/ }, ({ path }) => {
      const text = readFileSync(path, 'utf8');
      if (text.length < longBytes) return null;
      const value = JSON.stringify(JSON.stringify(JSON.parse(text)));
      return { loader: 'js', contents: `module.exports = JSON.parse(${value});` };
    });
  },
};

/** npm installs one version of a package several times where another one took the outer place. Each runs as it loads. */
export function onceEach(): Plugin {
  const found = new Map<string, string>();
  return {
    name: 'each version once',
    setup({ onResolve, resolve }) {
      onResolve({ filter: /^[a-z@]/ }, async ({ path, importer, kind, resolveDir, pluginData }) => {
        if (pluginData === onceEach || isSource(importer) || !importer) return null;
        const resolved = await resolve(path, { importer, kind, resolveDir, pluginData: onceEach });
        // esbuild lets a package try to load one that is not installed.
        if (resolved.errors.length > 0) return null;
        const folder = /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+/.exec(resolved.path)?.[0];
        if (resolved.external || folder === undefined) return resolved;
        const { name, version } = createRequire(join(folder, 'package.json'))('./package.json');
        const known = `${name} ${version} ${relative(folder, resolved.path)}`;
        const first = found.get(known) ?? resolved.path;
        found.set(known, first);
        return { ...resolved, path: first };
      });
    },
  };
}

export interface Whole {
  readonly text: string;
  /** The files that it is made of, from `base`. */
  readonly inputs: readonly string[];
}

/** Where the paths of inputs start. */
export const base = dirname(packages);

/**
 * One byte for each character: V8 takes it as it was read. What esbuild escapes leaves regular expressions out; in them,
 * as in texts and names, an escape stands for the same unit of UTF-16.
 */
function inAscii(text: string): string {
  return text.replace(/[\u0080-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/** A script whose completion value is a function that takes `require` and what modules ask for, and exports. */
export async function bundleWhole(): Promise<Whole> {
  const { outputFiles, metafile } = await build({
    absWorkingDir: base,
    entryPoints: [join(root, 'src/whole-program/entry')],
    bundle: true,
    write: false,
    metafile: true,
    format: 'cjs',
    platform: 'node',
    target: 'node24',
    legalComments: 'none',
    logLevel: 'warning',
    tsconfigRaw: {},
    external: notBundled,
    plugins: [placesOfModules, changedSchema, longJson, onceEach()],
  });
  const [file] = outputFiles;
  if (!file) throw new Error('esbuild wrote nothing');
  const text = inAscii(
    `(function (require, installation) {\nconst module = { exports: {} };\n${file.text}\nreturn module.exports;\n})`,
  );
  return { text, inputs: Object.keys(metafile.inputs).filter((path) => !path.startsWith('(disabled):')) };
}

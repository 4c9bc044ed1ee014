/** Decides which files enter a bundle: those in the packages' folder, and replacements for Node's modules. */

import { realpathSync } from 'node:fs';
import { extname, sep } from 'node:path';
import type {
  OnLoadArgs,
  OnLoadResult,
  OnResolveArgs,
  OnResolveResult,
  PartialMessage,
  Plugin,
  PluginBuild,
} from 'esbuild';
import type { ModulesOfNode } from './modules.ts';

const extensions = ['.js', '.cjs', '.mjs', '.json', '.ts', '.cts', '.mts', '.jsx', '.tsx', ''];
/** Absolute paths and URLs, but not Node's own modules (`node:fs`). */
const addresses = /^[/\\]|^(?!node:)[a-z][a-z+.-]*:/i;
/** Namespace of replacements for Node's modules whose source is written in this program. */
const written = 'of-node';
/** Namespace of files that ship with the program: reached by the name of a Node module, never from disk. */
const shims = 'of-program';

/** The package that a file belongs to. */
export function packageOf(file: string): string {
  return /^.*node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(file.split(sep).join('/'))?.[1] ?? 'the hook';
}

function realPathOf(file: string): string | null {
  try {
    return realpathSync(file);
  } catch {
    return null;
  }
}

function refuse(text: string): { errors: PartialMessage[] } {
  return { errors: [{ text }] };
}

/** When a file is loaded its importer is unknown; the location that esbuild adds to the error names it. */
export const unnamed = 'unnamed';

function refuseUnnamed(text: string): { errors: PartialMessage[] } {
  return { errors: [{ text, detail: unnamed }] };
}

/**
 * Checks twice: when a name is resolved, and again when a file is loaded, because glob imports skip the first check.
 * A glob finds plain files, and those come from the build folder only.
 */
export function guardFiles(folder: string, modules: ModulesOfNode): Plugin {
  const root = realpathSync(folder) + sep;
  const isInside = (file: string) => file.startsWith(root);

  /** Where a name resolves to by npm's rules: an allowed file, a forbidden one, or nothing. */
  async function judge(build: PluginBuild, args: OnResolveArgs): Promise<'inside' | 'outside' | 'nowhere'> {
    const { path, importer, kind, resolveDir } = args;
    const found = await build.resolve(path, { kind, importer, resolveDir, pluginData: 'resolved' });
    if (found.errors.length > 0) return 'nowhere';
    // The package declares it empty in browsers: a Node module, or a file that may not exist.
    if (found.namespace === '') return 'inside';
    return isInside(realPathOf(found.path) ?? found.path) ? 'inside' : 'outside';
  }

  function moduleFor(path: string): OnResolveResult | null {
    const node = modules.find(path);
    if (node?.file) return { path: node.file, namespace: shims };
    return node?.source ? { path: path.replace(/^node:/, ''), namespace: written } : null;
  }

  /** Resolves the imports of the program's own files: each other, and the replacements for Node's modules. */
  function resolveOwn({ path, importer }: OnResolveArgs): OnResolveResult {
    const file = modules.files.get(importer)?.imports[path];
    if (file) return { path: file, namespace: shims };
    if (file === null) return { path: 'nothing', namespace: written };
    return moduleFor(path) ?? refuse(`${importer} needs ${path}`);
  }

  /**
   * Undefined lets esbuild find the file itself: only esbuild knows which files are empty, and each file is checked
   * again when it is loaded.
   */
  async function resolve(build: PluginBuild, args: OnResolveArgs): Promise<OnResolveResult | undefined> {
    const { path } = args;
    const user = packageOf(args.importer);
    if (addresses.test(path)) return refuse(`${user} asks for the file ${path}, which is outside of it`);
    const node = modules.find(path);
    // A package of that name, or the package's own browser replacement, takes precedence over a Node module.
    const where = node && path.startsWith('node:') ? 'nowhere' : await judge(build, args);
    if (where === 'inside') return undefined;
    if (node) return moduleFor(path) ?? refuse(`${user} needs the module ${path} of Node, which functions do not have`);
    if (where === 'outside') return refuse(`${user} asks for ${path}, which is outside of it`);
    return refuse(`${user} needs ${path}, which is in none of the packages`);
  }

  function load({ path }: OnLoadArgs): { errors: PartialMessage[] } | undefined {
    const real = realPathOf(path);
    // A file that its package declares empty may not exist.
    if (!real && isInside(path)) return undefined;
    if (!real || !isInside(real)) return refuseUnnamed('asks for a file outside of it');
    if (!extensions.includes(extname(real).toLowerCase())) {
      return refuse(
        `${packageOf(path)} needs the file ${real.slice(real.lastIndexOf(sep) + 1)}, which is not JavaScript`,
      );
    }
    return undefined;
  }

  function loadOwn({ path }: OnLoadArgs): OnLoadResult {
    return { contents: modules.files.get(path)?.contents ?? '', loader: path.endsWith('.json') ? 'json' : 'js' };
  }

  return {
    name: 'guard-files',
    setup(build) {
      build.onResolve({ filter: /.*/ }, (args) => {
        if (args.pluginData === 'resolved' || args.kind === 'entry-point') return undefined;
        return args.namespace === shims || args.namespace === written ? resolveOwn(args) : resolve(build, args);
      });
      build.onLoad({ filter: /.*/, namespace: written }, ({ path }) => ({
        contents: modules.find(path)?.source ?? '',
      }));
      build.onLoad({ filter: /.*/, namespace: shims }, loadOwn);
      build.onLoad({ filter: /.*/, namespace: 'file' }, load);
    },
  };
}

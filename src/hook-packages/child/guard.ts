/** The one way by which files come into a bundle: out of the packages' own folder, or instead of a module of Node. */

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
/** Names that are places: absolute paths and addresses, but none of Node's modules (`node:fs`). */
const addresses = /^[/\\]|^(?!node:)[a-z][a-z+.-]*:/i;
/** What is written here in the place of a module of Node. */
const written = 'of-node';
/** Files that the program brings along: only the name of a module of Node leads here, and nothing on a disk does. */
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

/** Where a file is read it is not known who asked: the place that esbuild adds to the error says it. */
export const unnamed = 'unnamed';

function refuseUnnamed(text: string): { errors: PartialMessage[] } {
  return { errors: [{ text, detail: unnamed }] };
}

/**
 * Checks are made twice: where a name leads, and again where a file is read, as patterns of names skip the first. What
 * a pattern finds is a plain file, and plain files come from the folder of the build alone.
 */
export function guardFiles(folder: string, modules: ModulesOfNode): Plugin {
  const root = realpathSync(folder) + sep;
  const isInside = (file: string) => file.startsWith(root);

  /** Where a name leads by npm's rules: to a file that may come in, to one that may not, to none. */
  async function judge(build: PluginBuild, args: OnResolveArgs): Promise<'inside' | 'outside' | 'nowhere'> {
    const { path, importer, kind, resolveDir } = args;
    const found = await build.resolve(path, { kind, importer, resolveDir, pluginData: 'resolved' });
    if (found.errors.length > 0) return 'nowhere';
    // What a package says is empty in browsers: a module of Node, or a file that need not be there.
    if (found.namespace === '') return 'inside';
    return isInside(realPathOf(found.path) ?? found.path) ? 'inside' : 'outside';
  }

  function moduleFor(path: string): OnResolveResult | null {
    const node = modules.find(path);
    if (node?.file) return { path: node.file, namespace: shims };
    return node?.source ? { path: path.replace(/^node:/, ''), namespace: written } : null;
  }

  /** What the program's own files ask for: each other, and what stands for Node's modules. */
  function resolveOwn({ path, importer }: OnResolveArgs): OnResolveResult {
    const file = modules.files.get(importer)?.imports[path];
    if (file) return { path: file, namespace: shims };
    if (file === null) return { path: 'nothing', namespace: written };
    return moduleFor(path) ?? refuse(`${importer} needs ${path}`);
  }

  /**
   * Undefined lets esbuild find the file itself: it alone knows which are empty, and each is judged again when it is
   * read.
   */
  async function resolve(build: PluginBuild, args: OnResolveArgs): Promise<OnResolveResult | undefined> {
    const { path } = args;
    const user = packageOf(args.importer);
    if (addresses.test(path)) return refuse(`${user} asks for the file ${path}, which is outside of it`);
    const node = modules.find(path);
    // A package of that name, or what the package itself has for browsers, goes before a module of Node.
    const where = node && path.startsWith('node:') ? 'nowhere' : await judge(build, args);
    if (where === 'inside') return undefined;
    if (node) return moduleFor(path) ?? refuse(`${user} needs the module ${path} of Node, which functions do not have`);
    if (where === 'outside') return refuse(`${user} asks for ${path}, which is outside of it`);
    return refuse(`${user} needs ${path}, which is in none of the packages`);
  }

  function load({ path }: OnLoadArgs): { errors: PartialMessage[] } | undefined {
    const real = realPathOf(path);
    // One that a package says is empty need not be there.
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

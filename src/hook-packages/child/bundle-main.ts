/** Arguments: the build folder and the bundler's main file. */

import { createRequire } from 'node:module';
import { bundle } from './bundle.ts';
import { guardFiles } from './guard.ts';
import { readModules } from './modules.ts';
import { serveBundle } from './serve-bundle.ts';
import type { Shims } from './shims.ts';

/** Filled in by `npm run generate`. */
declare const shims: Shims;

const [folder, bundler] = process.argv.slice(2) as [string, string];
const esbuild = createRequire(bundler)(bundler) as typeof import('esbuild');

serveBundle((names) => bundle(names, folder, esbuild, guardFiles(folder, readModules(shims))));

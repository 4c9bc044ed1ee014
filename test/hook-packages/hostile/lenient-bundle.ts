/** The bundle process without a guard: every file it finds may enter a bundle. */

import { createRequire } from 'node:module';
import { bundle } from '../../../src/hook-packages/child/bundle.ts';
import { serveBundle } from '../../../src/hook-packages/child/serve-bundle.ts';

const [folder, bundler] = process.argv.slice(2) as [string, string];
const esbuild = createRequire(bundler)(bundler) as typeof import('esbuild');

serveBundle((names) => bundle(names, folder, esbuild, { name: 'no-guard', setup: () => {} }));

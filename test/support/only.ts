/** Imported before each test file. Where modules are named, these declare their tests and others do not. */

import { registerHooks } from 'node:module';
import { onlyVariable } from './only-these.ts';

if (process.env[onlyVariable] !== undefined) {
  const url = new URL('./only-these.ts', import.meta.url).href;
  registerHooks({
    resolve: (specifier, context, next) =>
      specifier === 'node:test' && context.parentURL !== url ? { url, shortCircuit: true } : next(specifier, context),
  });
}

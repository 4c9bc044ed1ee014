import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { test } from 'node:test';
import packageJson from '../../package.json' with { type: 'json' };
import packageLock from '../../package-lock.json' with { type: 'json' };
import { openTracing } from '../../src/tracing/opentelemetry.ts';
import { installTracing, tracingPackages } from '../../src/tracing/packages.ts';

const warnings: object[] = [];
const log = { warn: (event: string, fields: object) => void warnings.push({ event, ...fields }) } as never;

test('where the packages are missing, the start says in one line how to install them, and goes on', async () => {
  const hooks = registerHooks({
    resolve(specifier, context, next) {
      if (!Object.hasOwn(tracingPackages, specifier)) return next(specifier, context);
      throw Object.assign(new Error(`Cannot find package '${specifier}'`), { code: 'ERR_MODULE_NOT_FOUND' });
    },
  });
  try {
    assert.equal(await openTracing({ endpoint: 'http://127.0.0.1:9', share: 1 }, log), null);
  } finally {
    hooks.deregister();
  }
  const reason = `OTEL_EXPORTER_OTLP_ENDPOINT is set, but packages are missing: ${installTracing}`;
  assert.deepEqual(warnings.splice(0), [{ event: 'no traces', reason }]);
});

test('other packages of these names do not stop the start either', async () => {
  const hooks = registerHooks({
    resolve(specifier, context, next) {
      if (specifier !== '@opentelemetry/sdk-trace') return next(specifier, context);
      return { url: 'data:text/javascript,export const other = 1', format: 'module', shortCircuit: true };
    },
  });
  try {
    assert.equal(await openTracing({ endpoint: 'http://127.0.0.1:9', share: 1 }, log), null);
  } finally {
    hooks.deregister();
  }
  const reason = `OTEL_EXPORTER_OTLP_ENDPOINT is set, but its packages cannot be used: ${installTracing}`;
  assert.deepEqual(warnings.splice(0), [{ event: 'no traces', reason }]);
});

test('the versions that it names are those that were tested, which a usual installation does not have', () => {
  const locked: Readonly<Record<string, { readonly version?: string; readonly dev?: boolean }>> = packageLock.packages;
  for (const [name, version] of Object.entries(tracingPackages)) {
    assert.equal((packageJson.devDependencies as Record<string, string>)[name], version);
    assert.equal(locked[`node_modules/${name}`]?.version, version);
    assert.equal(locked[`node_modules/${name}`]?.dev, true, name);
  }
});

test('the docs have the same command', () => {
  const docs = readFileSync(new URL('../../docs/operations.md', import.meta.url), 'utf8');
  assert.ok(docs.replace(/ \\\n +/g, ' ').includes(`\n${installTracing}\n`));
});

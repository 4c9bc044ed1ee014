import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { it } from 'node:test';
import { runInNewContext } from 'node:vm';
import { build } from 'esbuild';
import { onceEach } from '../../src/whole-program/bundle.ts';

/** Without development packages npm leaves out what a package of the service only tries to load. */
it('a package may try to load one that is not installed', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-bundle-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const put = (name: string, source: string) => {
    const own = join(folder, 'node_modules', name);
    mkdirSync(own, { recursive: true });
    writeFileSync(join(own, 'package.json'), JSON.stringify({ name, version: '1.0.0' }));
    writeFileSync(join(own, 'index.js'), source);
  };
  put('tries', "try { module.exports = require('is-not-there'); } catch { module.exports = require('is-there'); }");
  put('is-there', "module.exports = 'it goes on';");
  put('needs', "module.exports = require('is-not-there');");
  const bundle = async (name: string) => {
    const entry = join(folder, `${name}.js`);
    writeFileSync(entry, `module.exports = require('${name}');`);
    const { outputFiles } = await build({
      entryPoints: [entry],
      bundle: true,
      write: false,
      format: 'cjs',
      platform: 'node',
      logLevel: 'silent',
      plugins: [onceEach()],
    });
    const module = { exports: {} };
    const require = (asked: string) => {
      throw new Error(`${asked} is asked for`);
    };
    runInNewContext(outputFiles[0]?.text ?? '', { module, require });
    return module.exports;
  };
  assert.equal(await bundle('tries'), 'it goes on');
  await assert.rejects(bundle('needs'), /Could not resolve "is-not-there"/);
});

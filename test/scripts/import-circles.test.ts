import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, it } from 'node:test';
import { findImportCircles } from '../../scripts/import-circles.ts';

/** The circles among these modules. */
function circlesOf(modules: Readonly<Record<string, string>>): string[] {
  const root = mkdtempSync(join(tmpdir(), 'gatehouse-circles-'));
  try {
    for (const [path, source] of Object.entries(modules)) {
      mkdirSync(dirname(join(root, path)), { recursive: true });
      writeFileSync(join(root, path), source);
    }
    return findImportCircles(root);
  } finally {
    rmSync(root, { recursive: true });
  }
}

const others = { 'scripts/a.ts': '', 'test/b.ts': '' };

describe('circles of imports', () => {
  it('are found between folders, through several modules, in exports, and of a module with itself', () => {
    const found = circlesOf({
      'scripts/a.ts': "import {\n  one,\n} from '../test/b.ts';\n",
      'test/b.ts': "export { one } from './c.ts';\n",
      'test/c.ts': "import '../scripts/a.ts';\n",
      'test/d.ts': "import * as d from './d.ts';\n",
    });
    assert.deepEqual(found, ['scripts/a.ts → test/b.ts → test/c.ts → scripts/a.ts', 'test/d.ts → test/d.ts']);
  });

  it('are none of types, nor of two ways to one module', () => {
    const types = {
      'scripts/a.ts': "import type { B } from '../test/b.ts';\n",
      'test/b.ts': "import '../scripts/a.ts';\n",
    };
    assert.deepEqual(circlesOf(types), []);
    const ways = {
      'test/c.ts': "import '../scripts/a.ts';\nimport './b.ts';\n",
      'test/b.ts': "import '../scripts/a.ts';\n",
    };
    assert.deepEqual(circlesOf({ ...others, ...ways }), []);
  });
});

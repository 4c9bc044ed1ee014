/** docs/conformance.md and docs/fapi.md name tests that exist, for each module or clause. */

import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { rowsOf } from './certification-page.ts';

const root = new URL('../../', import.meta.url);
/** How many modules each plan of the suite has, and clauses each profile. */
const pages: Readonly<Record<string, Readonly<Record<string, number>>>> = {
  'docs/conformance.md': {
    'Basic OP': 37,
    'Config OP': 1,
    'Dynamic OP': 23,
    'Form Post OP': 37,
    'Implicit OP': 30,
    'RP-Initiated Logout OP': 11,
    'Back-Channel Logout OP': 2,
    'Third-Party-Initiated Login OP': 2,
  },
  'docs/fapi.md': { 'Clauses and their tests': 22, 'Message signing': 3 },
};

for (const [name, plans] of Object.entries(pages)) {
  describe(name, () => {
    for (const [plan, modules] of Object.entries(plans)) {
      it(`${plan}: each of its ${modules} rows has a test that exists`, () => {
        const rows = rowsOf(plan, name);
        assert.equal(new Set(rows.map(([module]) => module)).size, modules);
        assert.equal(rows.length, modules);
        for (const [module, text] of rows) {
          const named = [...text.matchAll(/`(test\/\S+\.ts)` “([^”]+)”/g)];
          assert.ok(named.length > 0, `${module} names no test`);
          assert.equal(text.match(/`test\//g)?.length, named.length, `${module}: a file without a title`);
          for (const [, file = '', title = ''] of named) {
            const place = new URL(file, root);
            assert.ok(existsSync(place), `${module}: ${file}`);
            assert.ok(readFileSync(place, 'utf8').includes(title), `${module}: ${file} has no “${title}”`);
          }
        }
      });
    }
  });
}

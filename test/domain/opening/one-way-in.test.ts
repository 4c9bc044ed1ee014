/** That nothing opens past the one place: a second caller that is planted does not pass the check of imports. */

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../../..', import.meta.url));

/** Ways past it: the module, and what the check says of it. */
const sideDoors: Readonly<Record<string, readonly [source: string, said: RegExp]>> = {
  'session-by-opener': [
    "import { startSession } from '../opening/openers/session.ts';\nexport const enter = startSession;\n",
    /error one-way-in: src\/domain\/login\/session-by-opener\.ts → src\/domain\/opening\/openers\/session\.ts/,
  ],
  'grant-by-opener': [
    "export const enter = () => import('../opening/openers/grant.ts');\n",
    /error one-way-in: src\/domain\/login\/grant-by-opener\.ts → src\/domain\/opening\/openers\/grant\.ts/,
  ],
  'session-by-store': [
    'export const enter = (tx, session) => tx.sessions.create(session);\n',
    /session-by-store\.ts:1: sessions\.create opens something/,
  ],
  'old-session-by-store': [
    'export const enter = (tx, session) => tx.sessions.renew(session);\n',
    /old-session-by-store\.ts:1: sessions\.renew opens something/,
  ],
  'code-by-store': [
    'export const enter = ({ authorizations }, code) =>\n  authorizations\n    .createCode(code);\n',
    /code-by-store\.ts:2: authorizations\s+\.createCode opens something/,
  ],
  'grant-by-store': [
    'export const enter = async ({ grants }, row) => [await grants.create(row), await grants.addAccessToken(row)];\n',
    /grant-by-store\.ts:1: grants\.create opens[\s\S]*grant-by-store\.ts:1: addAccessToken opens/,
  ],
  'device-by-store': [
    'export const enter = (tx) => tx.deviceCodes.decide(1);\n',
    /device-by-store\.ts:1: deviceCodes\.decide opens/,
  ],
  'word-of-a-sign-in': [
    "export const enter = (record) => record({ action: 'sign_in.succeeded' });\n",
    /word-of-a-sign-in\.ts:1: 'sign_in\.succeeded' opens/,
  ],
};

const copied = [
  'src/domain/opening',
  'scripts/check.ts',
  'scripts/compiler.ts',
  'scripts/import-circles.ts',
  'scripts/imports.ts',
  'scripts/references.ts',
  'scripts/source-rules.ts',
  'src/pages/docs/anchor.ts',
  '.dependency-cruiser.cjs',
  'tsconfig.json',
  'package.json',
];

describe('one way in', () => {
  let folder = '';
  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'one-way-in-'));
    for (const part of copied) cpSync(join(root, part), join(folder, part), { recursive: true });
    for (const part of ['generated', 'test', 'src/domain/login']) mkdirSync(join(folder, part));
    symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
  });
  after(() => rmSync(folder, { recursive: true }));

  /** What the check says of this part of the program with these modules. */
  const check = (modules: Readonly<Record<string, string>>): string => {
    for (const [name, source] of Object.entries(modules)) {
      writeFileSync(join(folder, `src/domain/login/${name}.ts`), source);
    }
    return spawnSync(process.execPath, ['scripts/check.ts', 'imports'], { cwd: folder, encoding: 'utf8' }).stdout;
  };

  it('the check passes callers of the one place', () => {
    const said = check({
      asks: "import { openSession } from '../opening/open.ts';\nexport const enter = openSession;\n",
    });
    assert.match(said, /imports/);
    assert.doesNotMatch(said, /one-way-in|opens something/);
  });

  it('and no other callers, neither by an import nor by a verb of the store', () => {
    const said = check(Object.fromEntries(Object.entries(sideDoors).map(([name, [source]]) => [name, source])));
    assert.match(said, /^FAILED {2}imports/);
    for (const [name, [, expected]] of Object.entries(sideDoors)) assert.match(said, expected, name);
  });
});

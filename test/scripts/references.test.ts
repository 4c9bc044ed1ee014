/**
 * The check of references: planted ones that lead nowhere are found, each with its line, and live ones are let pass.
 */

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { findDeadReferences } from '../../scripts/references.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** A small repository in which every reference is live. */
const live: Readonly<Record<string, string>> = {
  'README.md': [
    '# The service',
    'See [the guide](docs/guide.md), [its end](docs/guide.md#the-end-of-it-all), [here](#the-service), `src/a.ts`,',
    '`b.ts`, `docs/*.md`, `src/<surface>.ts`, `src/{a,b}.ts`, `src/deep/`, `deep/c.ts`; `lone.yaml`; `package.json`.',
    'No files of this repository: [far](https://example.com/x.md#y), `/docs/pages`, `data/demo.json`, `GET /x.md`.',
    '```sh',
    'node src/a.ts not/here.ts',
    '```',
  ].join('\n'),
  'docs/guide.md': '# Guide\n\n## The end: of `it` all\n\nUp: [the service](../README.md#the-service).',
  'docs/document.md': '# Document\n\n## 1. What\n\n1. First.\n2. Second.\n\n### 4.7 More\n',
  'src/a.ts': [
    "/** The document's §1.2 and §4.7; docs/guide.md#the-end-of-it-all. */",
    `export const remedy = 'docs/guide.md, "The end"';`,
  ].join('\n'),
  'src/b.ts': '',
  'src/deep/c.ts': '',
  'openapi/lone.yaml': '',
  'package.json': '{}',
};

/** What is added to a file, and what the check says of it. */
const dead: readonly (readonly [file: string, added: string, said: string])[] = [
  ['README.md', 'Gone: `src/gone.ts`.', 'README.md:8: src/gone.ts leads nowhere'],
  ['README.md', 'Gone: `src/gone/`.', 'README.md:8: src/gone/ leads nowhere'],
  ['README.md', 'Gone: `src/*.yaml`.', 'README.md:8: src/*.yaml leads nowhere'],
  ['README.md', 'Gone: `node src/gone.ts`.', 'README.md:8: src/gone.ts leads nowhere'],
  ['README.md', 'Elsewhere: `src/a.ts`, `b.ts` and `c.ts`.', 'README.md:8: c.ts leads nowhere'],
  ['README.md', 'Nobody has it: `gone.ts`.', 'README.md:8: gone.ts leads nowhere'],
  ['README.md', 'In a part: `deep/gone.ts`.', 'README.md:8: deep/gone.ts leads nowhere'],
  ['README.md', '[Gone](docs/gone.md)', 'README.md:8: docs/gone.md leads nowhere'],
  ['README.md', '[Gone](docs/guide.md#gone)', 'README.md:8: docs/guide.md#gone leads nowhere'],
  ['README.md', '[Gone](#gone)', 'README.md:8: #gone leads nowhere'],
  ['README.md', '```sh\nnode src/gone.ts\n```', 'README.md:9: src/gone.ts leads nowhere'],
  ['CHANGELOG.md', 'Gone: `src/gone.ts`.', 'CHANGELOG.md:1: src/gone.ts leads nowhere'],
  ['docs/guide.md', '[Gone](../src/gone.ts)', 'docs/guide.md:6: ../src/gone.ts leads nowhere'],
  ['docs/guide.md', 'As docs/gone.md says.', 'docs/guide.md:6: docs/gone.md leads nowhere'],
  ['src/b.ts', '// wire.md says so.', 'src/b.ts:1: wire.md leads nowhere'],
  ['src/b.ts', '// docs/guide.md#gone says so.', 'src/b.ts:1: docs/guide.md#gone leads nowhere'],
  ['src/b.ts', `// docs/guide.md, "Gone", says so.`, 'src/b.ts:1: docs/guide.md, "Gone" leads nowhere'],
  ['src/b.ts', "// The document's §1.3.", 'src/b.ts:1: §1.3 of the document leads nowhere'],
  ['openapi/lone.yaml', "# The document's §1.1, §4.7 and §5.", 'openapi/lone.yaml:1: §5 of the document leads nowhere'],
];

describe('references', () => {
  let folder = '';
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'references-'));
    for (const [file, text] of Object.entries(live)) write(file, text);
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  function write(file: string, text: string): void {
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    writeFileSync(join(folder, file), text);
  }

  it('that resolve pass', () => assert.deepEqual(findDeadReferences(folder), []));

  for (const [file, added, said] of dead) {
    it(`${file}: ${added}`, () => {
      const before = live[file];
      write(file, before ? `${before}\n${added}\n` : `${added}\n`);
      assert.deepEqual(findDeadReferences(folder), [said]);
    });
  }

  it('fail the check, which lists them', () => {
    const scripts = ['check', 'compiler', 'import-circles', 'imports', 'references', 'source-rules'].map(
      (name) => `scripts/${name}.ts`,
    );
    for (const script of [...scripts, 'src/pages/docs/anchor.ts']) {
      cpSync(join(root, script), join(folder, script));
    }
    symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
    write('CHANGELOG.md', 'Gone: `src/gone.ts`.');
    const { status, stdout } = spawnSync(process.execPath, ['scripts/check.ts', 'references'], { cwd: folder });
    assert.equal(status, 1);
    assert.match(String(stdout), /^FAILED {2}references .*\n {8}CHANGELOG\.md:1: src\/gone\.ts leads nowhere\n$/);
  });
});

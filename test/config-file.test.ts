import assert from 'node:assert/strict';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { ConfigMistakes, readConfig } from '../src/config.ts';

describe('the file of settings', () => {
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-env-'));
  const file = join(folder, 'gatehouse.env');
  after(() => rmSync(folder, { recursive: true }));

  function write(text: string, mode = 0o600): void {
    writeFileSync(file, text);
    chmodSync(file, mode);
  }

  /** As the command line reads it, with nothing but these variables in the environment. */
  function read(environment: Record<string, string> = {}, named?: string) {
    const { env } = process;
    process.env = environment;
    try {
      return readConfig(undefined, named);
    } finally {
      process.env = env;
    }
  }

  function mistakesIn(text: string): readonly string[] {
    write(text);
    try {
      read({}, file);
    } catch (error) {
      if (error instanceof ConfigMistakes) return error.mistakes;
      throw error;
    }
    return [];
  }

  const beside = { MASTER_KEY_FILE: join(folder, 'master.key') };

  test('is read where it is named, and where it lies beside the master key; the environment wins', () => {
    write("# the proxy\nexport PORT=4100\nSERVICE_DOMAIN='id.example.com' # ours\nLOG_LEVEL=\n");
    const named = read({}, file);
    assert.deepEqual([named.port, named.addresses.serviceDomain, named.logLevel], [4100, 'id.example.com', 'info']);
    assert.deepEqual([named.envFile, named.saysAddresses, named.warnings], [file, true, []]);
    assert.equal(read(beside).port, 4100);
    assert.equal(read({ ...beside, PORT: '4200', SERVICE_DOMAIN: '' }).port, 4200);
    assert.equal(read({ ...beside, SERVICE_DOMAIN: '' }).addresses.serviceDomain, 'id.example.com');
    assert.equal(read({ MASTER_KEY_FILE: join(folder, 'elsewhere/master.key') }).envFile, null);
  });

  test('stops everything where it is named and cannot be opened', () => {
    for (const [path, reason] of [
      [join(folder, 'missing.env'), 'no such file'],
      [folder, 'it is a folder'],
    ] as const) {
      assert.throws(() => read({}, path), { message: `${path} cannot be opened: ${reason}` });
    }
  });

  test('names each mistake with its line, and never a value', () => {
    assert.deepEqual(mistakesIn('PORT 4000\nMETRICS_TOKEN=hunter2\nPORT=1\nPORT=2\nTRUST_PROXI=x\nHTTP_PROXY=y\n'), [
      `${file}, line 1: must be NAME=value, or a comment that begins with #`,
      `${file}, line 4: PORT is set a second time; remove one of the lines`,
      `${file}: unknown setting HTTP_PROXY; README.md, "Settings", lists those there are`,
      `${file}: unknown setting TRUST_PROXI; did you mean TRUST_PROXY?`,
      'METRICS_TOKEN must be 16 to 256 characters without spaces',
    ]);
  });

  test('is warned of when others can read it', () => {
    write('PORT=4100\n', 0o640);
    assert.deepEqual(read({}, file).warnings, [
      `${file} can be read by other users of this machine; if it holds secrets, run: chmod 600 ${file}`,
    ]);
  });
});

import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { compiledEnvironment } from '../support/compiled.ts';
import { type Service, startService } from '../support/process.ts';
import { isWhole } from '../support/sample.ts';

const script = fileURLToPath(new URL('../../scripts/tour.ts', import.meta.url));

interface Outcome {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
}

describe('npm run tour', () => {
  let service: Service;
  let demoFile = '';

  before(async () => {
    service = await startService({ database: 'sqlite', demo: true });
    demoFile = join(service.folder, 'data/demo.json');
  });
  after(() => service.installation.dispose());

  /** Runs the tour in the folder of the service, with nothing of this process's settings. */
  function tour(...args: string[]): Promise<Outcome> {
    const options = { cwd: service.folder, env: { PATH: process.env['PATH'], ...compiledEnvironment } };
    return new Promise((resolve) => {
      execFile(process.execPath, [script, ...args], options, (error, stdout, stderr) => {
        resolve({ exitCode: error ? Number(error.code) : 0, stdout, stderr });
      });
    });
  }

  function assertNoSecrets(stdout: string): void {
    const demo = JSON.parse(readFileSync(demoFile, 'utf8'));
    for (const secret of [demo.credential.client_secret, demo.user.password, demo.api_key]) {
      assert.ok(!stdout.includes(secret));
    }
    // Every secret of the service has a prefix and 32 random bytes; cookies, codes and form secrets have no prefix.
    assert.doesNotMatch(stdout, /\b(?:cs|ct|at|rt|ak)_[\w.-]{20,}/);
    assert.doesNotMatch(stdout, /eyJ[\w-]{20,}/);
    assert.doesNotMatch(stdout, /\b(?:code|request|csrf|sid|tx|code_verifier|token|api_key|password)=[\w-]{20,}/);
  }

  test('walks through the main flow of a newly started service, and shows no secret in full', async () => {
    const { exitCode, stdout, stderr } = await tour('--demo', demoFile);
    assert.deepEqual([exitCode, stderr], [0, ''], stdout);
    const titles = [...stdout.matchAll(/^(\d+)\. /gm)].map(([, number]) => Number(number));
    assert.deepEqual(
      titles,
      Array.from({ length: 26 }, (_, index) => index + 1),
    );
    for (const path of [
      '/auth/oauth2/v2/token',
      '/oidc/2/register',
      '/oidc/2/token',
      '/oauth2/register',
      '/oauth2/token',
      '/oauth2/revoke',
      '/api/2/users',
      String.raw`/api/2/apps/\d+/users`,
      '/api/2/roles',
      String.raw`/api/2/api_authorizations/\d+/clients`,
      '/api/2/hooks',
      String.raw`/api/2/hooks/[\da-f-]+/test`,
      '/api/v3/invites/get_invite_link',
    ]) {
      assert.match(stdout, new RegExp(`^→ POST http://localhost:${service.port}${path}$`, 'm'));
    }
    assert.match(stdout, /^← 303 See Other\n {2}location: https:\/\/portal\.example\.com\/callback\?code=/m);
    assert.match(stdout, /^→ DELETE .*\/api\/2\/apps\/\d+\/users$/m);
    assert.match(stdout, /"error_description": "Access is unauthorized"/);
    assert.match(stdout, /"active": false/);
    assert.match(stdout, /^ {2}The access token is genuine and says:$/m);
    assert.match(stdout, /"first_name": "\w+"/);
    const challenge =
      /^← 401 Unauthorized\n {2}www-authenticate: Bearer scope="notes:read", resource_metadata="([^"]+)"$/m;
    const [, metadata = ''] = challenge.exec(stdout) ?? [];
    assert.match(metadata, /^http:\/\/localhost:\d+\/\.well-known\/oauth-protected-resource\/mcp$/);
    assert.ok(stdout.includes(`→ GET ${metadata}`));
    assert.match(stdout, /^← 303 See Other\n {2}location: http:\/\/127\.0\.0\.1:33418\/callback\?code=/m);
    assert.match(stdout, /"text": "\[\]"/);
    assert.match(stdout, /INFO\\tdemo@example\.com signs in to Gateway Portal \*{4}"/);
    assert.match(stdout, /^ {2}<response><authenticated>true<\/authenticated>/m);
    assert.match(stdout, /\/password\/reset\?token=[^"]{0,16}…/);
    assert.match(stdout, /^ {2} {2}<email>grace\.\w+@example\.com<\/email>$/m);
    assert.equal(stdout.match(/^ {2}deprecation: @\d+$/gm)?.length, 3);
    assert.match(stdout, /^Done: 26 steps/m);
    assertNoSecrets(stdout);
  });

  // The drill M8 does it.
  if (isWhole)
    test('walks through it again', async () => {
      const { exitCode, stdout } = await tour('--demo', demoFile);
      assert.equal(exitCode, 0, stdout);
      assertNoSecrets(stdout);
    });

  test('stops with a clear message when something is wrong', async () => {
    const nobody = await tour('--url', 'http://127.0.0.1:9');
    assert.equal(nobody.exitCode, 1);
    assert.match(nobody.stderr, /nobody answers at http:\/\/127\.0\.0\.1:9 .*npm start/);
    const missing = await tour('--demo', join(service.folder, 'nothing.json'));
    assert.equal(missing.exitCode, 1);
    assert.match(missing.stderr, /demo account's secrets cannot be read .*npm start/);
    await service.cli('user', 'set', '--account', 'demo', '--email', 'demo@example.com', 'status=locked');
    const locked = await tour();
    assert.equal(locked.exitCode, 1);
    assert.match(locked.stderr, /the sign-in ended on a page with status 403/);
  });
});

/** The languages, each with its own package manager, all of whose files stay in the folder that it is given. */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { run, type Toolchain } from './toolchain.ts';

const javascript: Toolchain = {
  language: 'javascript',
  needs: ['npm'],
  prepare: (folder) => run(['npm', 'ci', '--ignore-scripts', '--no-audit', '--no-fund'], { cwd: folder }),
  programs: () => [
    { title: 'express-openid-connect', command: [process.execPath, 'express-openid-connect.js'] },
    { title: 'passport-openidconnect', command: [process.execPath, 'passport.js'] },
    { title: 'a gateway: express-oauth2-jwt-bearer, jwks-rsa', command: [process.execPath, 'gateway.js'] },
    { title: 'Prism, as a mock and as a validating proxy', command: [process.execPath, 'prism.js'] },
  ],
};

const python: Toolchain = {
  language: 'python',
  needs: ['python3'],
  prepare: async (folder) => {
    await run(['python3', '-m', 'venv', 'venv'], { cwd: folder });
    const pip = ['venv/bin/pip', 'install', '--quiet', '--no-cache-dir', '--no-deps'];
    await run([...pip, '--requirement', 'requirements.txt'], { cwd: folder });
  },
  programs: () => [
    { title: 'Authlib: OAuth2Session', command: ['venv/bin/python', 'session.py'] },
    { title: 'Authlib: Flask client', command: ['venv/bin/python', 'flask_app.py'] },
  ],
};

const go: Toolchain = {
  language: 'go',
  needs: ['go'],
  prepare: (folder) => {
    const env = {
      GOPATH: join(folder, 'path'),
      GOMODCACHE: join(folder, 'modules'),
      GOCACHE: join(folder, 'cache'),
      GOTOOLCHAIN: 'local',
      // Files that can be removed again.
      GOFLAGS: '-mod=readonly -modcacherw -buildvcs=false',
    };
    return run(['go', 'build', '-o', 'bin/', './...'], { cwd: folder, env });
  },
  programs: () => [
    { title: 'golang.org/x/oauth2 and go-oidc', command: ['bin/session'] },
    { title: 'an application of net/http with go-oidc', command: ['bin/web'] },
    { title: 'the requests of Grafana with golang.org/x/oauth2', command: ['bin/grafana'] },
  ],
};

const java: Toolchain = {
  language: 'java',
  needs: ['java', 'mvn'],
  prepare: (folder) => {
    const maven = ['mvn', '--quiet', '--batch-mode', `-Dmaven.repo.local=${join(folder, 'repository')}`];
    const classpath = ['dependency:build-classpath', '-Dmdep.outputFile=classpath.txt'];
    return run([...maven, 'compile', ...classpath], { cwd: folder });
  },
  programs: (folder) => {
    const classpath = `target/classes:${readFileSync(join(folder, 'classpath.txt'), 'utf8').trim()}`;
    const main = (name: string) => ['java', '-cp', classpath, name];
    return [
      { title: 'Nimbus OAuth 2.0 SDK', command: main('conformance.NimbusSession') },
      {
        title: 'Nimbus OAuth 2.0 SDK by FAPI 2.0, with DPoP and with mutual TLS',
        command: main('conformance.NimbusFapi'),
      },
    ];
  },
};

/** The gems are those of the system: on Debian the package `ruby-omniauth-openid-connect`. */
const ruby: Toolchain = {
  language: 'ruby',
  needs: ['ruby'],
  missing: async () => {
    const loaded = ['ruby', '-e', 'require "omniauth_openid_connect"; require "rack/handler/webrick"'];
    const fault = await run(loaded, { cwd: '.' }).catch(
      () => 'the gems omniauth_openid_connect, rack 2 and webrick not found',
    );
    return fault ?? null;
  },
  prepare: async () => {},
  programs: () => [{ title: 'the requests of GitLab with omniauth_openid_connect', command: ['ruby', 'gitlab.rb'] }],
};

export const toolchains: readonly Toolchain[] = [javascript, python, go, java, ruby];

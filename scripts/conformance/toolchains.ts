/** The languages, each with its own package manager, all of whose files stay in the folder that it is given. */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { run, type Toolchain } from './toolchain.ts';

const python: Toolchain = {
  language: 'python',
  needs: ['python3'],
  prepare: async (folder) => {
    await run(['python3', '-m', 'venv', 'venv'], { cwd: folder });
    const pip = ['venv/bin/pip', 'install', '--quiet', '--no-cache-dir', '--no-deps'];
    await run([...pip, '--requirement', 'requirements.txt'], { cwd: folder });
  },
  programs: () => [{ title: 'Authlib: OAuth2Session', command: ['venv/bin/python', 'session.py'] }],
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
  programs: () => [{ title: 'golang.org/x/oauth2 and go-oidc', command: ['bin/session'] }],
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
    return [{ title: 'Nimbus OAuth 2.0 SDK', command: main('conformance.NimbusSession') }];
  },
};

export const toolchains: readonly Toolchain[] = [python, go, java];

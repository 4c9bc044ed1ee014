/** The proxies of the page "Go to production", as Debian has them. */

import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { readdirSync, writeFileSync } from 'node:fs';
import { request } from 'node:https';
import { join } from 'node:path';

export interface Ports {
  readonly service: number;
  readonly http: number;
  readonly https: number;
}

export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
}

/** The path of a program: that of this machine, or the one of the Debian package, unpacked into `folder`. */
function findProgram(name: string, folder: string): string {
  const here = spawnSync('sh', ['-c', `command -v ${name}`], { encoding: 'utf8' }).stdout.trim();
  if (here !== '') return here;
  execFileSync('apt-get', ['download', '-qq', name], { cwd: folder, stdio: 'ignore' });
  const file = readdirSync(folder).find((entry) => entry.startsWith(`${name}_`)) ?? '';
  execFileSync('dpkg', ['-x', file, '.'], { cwd: folder });
  return join(folder, name === 'nginx' ? 'usr/sbin/nginx' : 'usr/bin/caddy');
}

/** Starts nginx with the configuration of the page. Only ports, and folders that need root, are others. */
export function startNginx(text: string, folder: string, { http, https }: Ports): ChildProcess {
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (of) => `${of}_temp_path ${folder}/${of};`,
  );
  const file = join(folder, 'nginx.conf');
  const configured = text
    .replace('http {', `http {\n${temporary.join('\n')}`)
    .replace('listen 80;', `listen 127.0.0.1:${http};`)
    .replace('listen 443 ', `listen 127.0.0.1:${https} `);
  writeFileSync(file, configured);
  const directives = `daemon off; pid ${folder}/nginx.pid; error_log stderr;`;
  return spawn(findProgram('nginx', folder), ['-p', folder, '-c', file, '-g', directives]);
}

/** The same for Caddy, which would listen on port 80 too, to redirect, and for its own administration. */
export function startCaddy(text: string, folder: string, { https }: Ports): ChildProcess {
  const file = join(folder, 'Caddyfile');
  const site = `{\nadmin off\nauto_https disable_redirects\n}\nhttps://*.id.example.com:${https} {\nbind 127.0.0.1`;
  writeFileSync(file, text.replace('*.id.example.com {', site));
  const env = { PATH: process.env['PATH'], HOME: folder };
  return spawn(findProgram('caddy', folder), ['run', '--config', file, '--adapter', 'caddyfile'], { env });
}

/** The address that the requests come from: not that of the proxy. */
export const client = '127.0.0.2';

/** Asks through the proxy, and lies about where the request comes from. */
export function ask(path: string, host: string, port: number, certificate: string): Promise<Answer> {
  const { promise, resolve, reject } = Promise.withResolvers<Answer>();
  const headers = { host, 'x-forwarded-for': '203.0.113.9', 'x-forwarded-proto': 'http' };
  request(
    { host: '127.0.0.1', port, path, headers, localAddress: client, servername: host, ca: certificate, agent: false },
    async (answer) => {
      const parts = await answer.toArray();
      const text = Buffer.concat(parts).toString('utf8');
      resolve({ status: answer.statusCode ?? 0, headers: answer.headers, text });
    },
  )
    .once('error', reject)
    .end();
  return promise;
}

/** The proxies of the page "Go to production", as Debian has them. */

import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { readdirSync, writeFileSync } from 'node:fs';
import { request } from 'node:https';
import { join } from 'node:path';

export interface Ports {
  readonly service: number;
  readonly http: number;
  readonly https: number;
  /** Where clients show certificates. */
  readonly mutualTls: number;
  /** Where the conformance suite shows them. */
  readonly certify: number;
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
export function startNginx(text: string, folder: string, ports: Ports): ChildProcess {
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (of) => `${of}_temp_path ${folder}/${of};`,
  );
  const file = join(folder, 'nginx.conf');
  const configured = text
    .replace('http {', `http {\n${temporary.join('\n')}`)
    .replace('listen 80;', `listen 127.0.0.1:${ports.http};`)
    .replace('listen 443 ', `listen 127.0.0.1:${ports.https} `)
    .replace('listen 8443 ', `listen 127.0.0.1:${ports.mutualTls} `)
    .replace('listen 8444 ', `listen 127.0.0.1:${ports.certify} `);
  writeFileSync(file, configured);
  const directives = `daemon off; pid ${folder}/nginx.pid; error_log stderr;`;
  return spawn(findProgram('nginx', folder), ['-p', folder, '-c', file, '-g', directives]);
}

/** The same for Caddy, which would listen on port 80 too, to redirect, and for its own administration. */
export function startCaddy(text: string, folder: string, { https, mutualTls, certify }: Ports): ChildProcess {
  const file = join(folder, 'Caddyfile');
  const site = `{\nadmin off\nauto_https disable_redirects\n}\nhttps://*.id.example.com:${https} {\nbind 127.0.0.1`;
  const certified = `https://*.id.example.com:${mutualTls} {\nbind 127.0.0.1`;
  const suite = `https://certify.id.example.com:${certify} {\nbind 127.0.0.1`;
  const configured = text
    .replace('*.id.example.com {', site)
    .replace('*.id.example.com:8443 {', certified)
    .replace('certify.id.example.com:8444 {', suite);
  writeFileSync(file, configured);
  const env = { PATH: process.env['PATH'], HOME: folder };
  return spawn(findProgram('caddy', folder), ['run', '--config', file, '--adapter', 'caddyfile'], { env });
}

/** The address that the requests come from: not that of the proxy. */
export const client = '127.0.0.2';

/** What is asked besides an address: a form or JSON is posted. */
export interface Asked {
  readonly form?: Readonly<Record<string, string>>;
  readonly json?: object;
  readonly headers?: Readonly<Record<string, string>>;
  /** The client's own certificate and key, as PEM. */
  readonly tls?: { readonly cert: string; readonly key: string } | undefined;
}

/** Asks through the proxy, and lies about where the request comes from. */
export function ask(
  path: string,
  host: string,
  port: number,
  certificate: string,
  { form, json, headers: more, tls }: Asked = {},
): Promise<Answer> {
  const { promise, resolve, reject } = Promise.withResolvers<Answer>();
  const body = json ? JSON.stringify(json) : form && new URLSearchParams(form).toString();
  const type = body && { 'content-type': json ? 'application/json' : 'application/x-www-form-urlencoded' };
  const headers = { host, 'x-forwarded-for': '203.0.113.9', 'x-forwarded-proto': 'http', ...type, ...more };
  const server = { host: '127.0.0.1', port, localAddress: client, servername: host, ca: certificate, agent: false };
  request({ ...server, path, headers, method: body ? 'POST' : 'GET', ...tls }, async (answer) => {
    const parts = await answer.toArray();
    const text = Buffer.concat(parts).toString('utf8');
    resolve({ status: answer.statusCode ?? 0, headers: answer.headers, text });
  })
    .once('error', reject)
    .end(body);
  return promise;
}

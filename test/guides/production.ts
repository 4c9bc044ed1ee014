/**
 * The pages "Go to production" and "Clients with certificates", and the proxy of "Run the conformance suite", done as
 * they are written, with the paths, ports, and user of this run.
 */

import assert from 'node:assert/strict';
import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { connect } from 'node:tls';
import { fileURLToPath } from 'node:url';
import { guides, readGuide } from '../../src/pages/docs/guides.ts';
import { freePort } from '../support/process.ts';
import { until } from '../support/until.ts';
import { readBlocks } from './blocks.ts';
import { authority, type Clients, makeClients, useCertificates } from './certificates.ts';
import { ask, client, type Ports, startCaddy, startNginx } from './proxies.ts';

const root = fileURLToPath(new URL('../..', import.meta.url)).replace(/\/$/, '');
const host = 'acme.id.example.com';
const suite = 'certify.id.example.com';
const paths = { PATH: process.env['PATH'] };

/** What the page says, with what is of this run in it. */
interface Page {
  readonly folder: string;
  readonly ports: Ports;
  readonly files: Readonly<Record<string, string>>;
  /** The commands that make an account, with the function `gatehouse` of the page. */
  readonly commands: string;
  readonly certificate: string;
}

async function readPage(folder: string): Promise<Page> {
  const [service, http, https] = [await freePort(), await freePort(), await freePort()];
  const ports = { service, http, https, mutualTls: await freePort(), certify: await freePort() };
  const [certificate, key] = [join(folder, 'certificate.pem'), join(folder, 'key.pem')];
  const names = ['-subj', '/CN=*.id.example.com', '-addext', 'subjectAltName=DNS:*.id.example.com'];
  const made = ['-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '2', '-out', certificate, '-keyout', key];
  execFileSync('openssl', ['req', ...made, ...names], { stdio: 'ignore' });
  const here = (text: string) =>
    text
      .replaceAll('/etc/ssl/certs/id.example.com.pem', certificate)
      .replaceAll('/etc/ssl/private/id.example.com.key', key)
      .replaceAll('/etc/ssl/certs/clients-ca.pem', join(folder, authority))
      .replaceAll('/var/log/nginx/access.log', join(folder, 'access.log'))
      .replaceAll('/etc/gatehouse.env', join(folder, 'gatehouse.env'))
      .replaceAll('/var/lib/gatehouse', join(folder, 'data'))
      .replaceAll('/opt/gatehouse', root)
      .replaceAll('/opt/node/bin/node', process.execPath)
      .replaceAll('runuser -u gatehouse -- ', '')
      .replaceAll('PORT=3000', `PORT=${ports.service}`)
      .replaceAll('127.0.0.1:3000', `127.0.0.1:${ports.service}`);
  const blocks = readBlocks(
    guides
      .filter(({ name }) => ['go-to-production', 'mutual-tls', 'certify'].includes(name))
      .map(readGuide)
      .join(''),
  );
  const files = {
    'gatehouse.service': here(readFileSync(join(root, 'deploy/systemd/gatehouse.service'), 'utf8')),
    ...Object.fromEntries(blocks.flatMap((block) => (block.kind === 'file' ? [[block.name, here(block.text)]] : []))),
  };
  const commands = blocks.find(({ text }) => text.startsWith('gatehouse() {'))?.text ?? '';
  return { folder, ports, files, commands: here(commands), certificate: readFileSync(certificate, 'utf8') };
}

/** A line of the unit, such as that of `ExecStart`. */
function lineOf(unit: string, name: string): string {
  return new RegExp(`^${name}=(.+)$`, 'm').exec(unit)?.[1] ?? '';
}

async function stop(child: ChildProcess): Promise<number | null> {
  if (child.exitCode === null && child.signalCode === null) {
    child.kill('SIGTERM');
    await once(child, 'exit');
  }
  return child.exitCode;
}

/** What a reader counts on once a proxy is in front. */
async function lookThrough(page: Page, run: (script: string) => string): Promise<void> {
  const { ports, certificate } = page;
  const get = (path: string) => ask(path, host, ports.https, certificate);
  await until(() =>
    get('/healthz').then(
      ({ status }) => status === 200,
      () => false,
    ),
  );
  const discovery = await get('/.well-known/openid-configuration');
  assert.equal(JSON.parse(discovery.text).issuer, `https://${host}`);
  assert.match(String(discovery.headers['strict-transport-security']), /^max-age=\d{7,}/);
  const cookies = [(await get('/account')).headers['set-cookie'] ?? []].flat();
  assert.ok(cookies.length > 0);
  for (const cookie of cookies) assert.match(cookie, /^__Host-.*; Secure/);
  const refused = await get('/oauth2/authorize?client_id=nobody');
  assert.equal(refused.status, 400);
  // Refusals are stored a moment after their answer.
  const why = `gatehouse why ${refused.headers['x-request-id']} --json`;
  await until(() => run(`${why} || true`) !== '');
  assert.equal(JSON.parse(run(why)).source, client);
}

const credential = 'gatehouse credential create --account acme --scope manage_all';

/** What the page says about `mutual_tls=any`: the line in its comment alone, in place of two. */
function acceptAny(text: string, line: string): string {
  assert.ok(text.includes(`# For mutual_tls=any: "${line}" alone.`), line);
  return text.replace(/(# For mutual_tls=any.*\n).*\n.*\n/, `$1${line}\n`);
}

/** Whether TLS 1.2 with this cipher alone comes to a connection. */
async function connects(port: number, ciphers: string, { cert, key }: Clients['own']): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const asked = { port, host: '127.0.0.1', servername: suite, ciphers, cert, key, maxVersion: 'TLSv1.2' as const };
  const socket = connect({ ...asked, rejectUnauthorized: false }, () => resolve(true)).once('error', () =>
    resolve(false),
  );
  const connected = await promise;
  socket.destroy();
  return connected;
}

/** At the suite's port everybody reaches the account of the run alone, with any certificate or none. */
async function callCertify({ ports, certificate }: Page, { own, forged }: Clients): Promise<void> {
  const keysAt = async (name: string, port: number) => (await ask('/oauth2/jwks', name, port, certificate)).text;
  const keys = await keysAt(suite, ports.https);
  assert.notEqual(await keysAt(host, ports.https), keys);
  assert.equal(await keysAt(suite, ports.certify), keys);
  // Whoever names another account reaches the same one, or nothing.
  assert.ok([keys, ''].includes(await keysAt(host, ports.certify)));
  const form = { client_id: 'nobody', response_type: 'code' };
  const planted = { 'client-cert': 'planted' };
  for (const tls of [own, forged, undefined]) {
    const answer = await ask('/oauth2/par', suite, ports.certify, certificate, { form, tls, headers: planted });
    assert.deepEqual([answer.status, JSON.parse(answer.text).error], [400, 'invalid_client']);
  }
  for (const port of [ports.https, ports.mutualTls, ports.certify]) {
    assert.equal(await connects(port, 'ECDHE-RSA-AES128-GCM-SHA256', own), true);
    for (const cipher of [
      'ECDHE-RSA-AES256-SHA384',
      'ECDHE-RSA-AES128-SHA',
      'AES128-GCM-SHA256',
      'ECDHE-RSA-CHACHA20-POLY1305',
    ])
      assert.equal(await connects(port, cipher, own), false, `${port} ${cipher}`);
  }
}

/** Follows the pages; rejects where it is not as it says. `log` takes what was looked at. */
export async function followProduction(folder: string, log: (line: string) => void): Promise<void> {
  const page = await readPage(folder);
  const { files, ports, commands } = page;
  const { 'gatehouse.service': unit = '' } = files;
  const certified = `${files['mutual-tls.nginx.conf']}${files['certify.nginx.conf']}`;
  const nginx = (files['nginx.conf'] ?? '').replace(/}\n$/, `${certified}}\n`);
  const caddy = `${files['Caddyfile']}${files['mutual-tls.Caddyfile']}${files['certify.Caddyfile']}`;
  const clients = makeClients(folder);
  mkdirSync(join(folder, 'data'), { mode: 0o700 });
  for (const name of ['gatehouse.env', 'gatehouse.service']) writeFileSync(join(folder, name), files[name] ?? '');
  chmodSync(join(folder, 'gatehouse.env'), 0o400);
  const run = (script: string) => {
    const functions = commands.slice(0, commands.indexOf('\n}\n') + 3);
    return execFileSync('bash', ['-ec', `${functions}${script}`], {
      cwd: folder,
      env: paths,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'pipe'],
    });
  };

  const judged = spawnSync('systemd-analyze', ['verify', join(folder, 'gatehouse.service')], { encoding: 'utf8' });
  const complaints = (judged.stderr ?? '').split('\n').filter((line) => line.includes('gatehouse.service'));
  assert.deepEqual(complaints, []);
  log(judged.error ? 'the unit was not judged: systemd-analyze is missing' : 'the unit is right for systemd-analyze');

  const start = ['-c', `exec ${lineOf(unit, 'ExecStart')}`];
  const service = spawn('bash', start, { cwd: lineOf(unit, 'WorkingDirectory'), env: paths, stdio: 'ignore' });
  const proxies: ChildProcess[] = [];
  try {
    const ready = `http://127.0.0.1:${ports.service}/readyz`;
    await until(() =>
      fetch(ready).then(
        ({ ok }) => ok,
        () => service.exitCode !== null,
      ),
    );
    assert.equal(service.exitCode, null, 'the service ended');
    run(commands.slice(commands.indexOf('\n}\n') + 3));
    log('the service runs, and has an account');

    proxies.push(startNginx(nginx, folder, ports));
    await lookThrough(page, run);
    const plain = await fetch(`http://127.0.0.1:${ports.http}/a?b=c`, { redirect: 'manual' });
    assert.deepEqual([plain.status, plain.headers.get('location')], [301, 'https://127.0.0.1/a?b=c']);
    assert.doesNotMatch(readFileSync(join(folder, 'access.log'), 'utf8'), /\?|nobody/);
    log('nginx passes on what the service needs');
    run('gatehouse account create certify');
    await callCertify(page, clients);
    log('nginx takes the suite with certificates and without, for one account');
    const { client_id: id, client_secret: secret } = JSON.parse(run(`${credential} --json`));
    const certify = async (accepts: 'verified' | 'any') => {
      const origin = `https://${host}:${ports.mutualTls}`;
      run(`gatehouse account set acme mutual_tls=${accepts} mutual_tls_origin=${origin}`);
      await useCertificates({ ...page, host, credential: `${id}:${secret}` }, clients, accepts);
    };
    await certify('verified');
    for (const proxy of proxies) await stop(proxy);
    proxies.push(startNginx(acceptAny(nginx, 'ssl_verify_client optional_no_ca;'), folder, ports));
    await lookThrough(page, run);
    await certify('any');
    log('nginx hands over certificates');
    for (const proxy of proxies) await stop(proxy);

    proxies.push(startCaddy(caddy, folder, ports));
    await lookThrough(page, run);
    log('Caddy passes on what the service needs');
    await callCertify(page, clients);
    log('Caddy takes the suite with certificates and without, for one account');
    await certify('verified');
    for (const proxy of proxies) await stop(proxy);
    proxies.push(startCaddy(acceptAny(caddy, 'mode require'), folder, ports));
    await lookThrough(page, run);
    await certify('any');
    log('Caddy hands over certificates');
    assert.equal(await stop(service), 0);
  } finally {
    for (const child of [service, ...proxies]) await stop(child);
  }
}

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ConfigMistakes, readConfig } from '../src/config.ts';
import { isOneSlipFrom, parseEgress } from '../src/config-values.ts';
import { settings } from '../src/settings.ts';

function mistakesOf(environment: Record<string, string>): readonly string[] {
  try {
    readConfig(environment);
  } catch (error) {
    if (error instanceof ConfigMistakes) return error.mistakes;
    throw error;
  }
  return [];
}

test('without settings it listens on loopback with plain http', () => {
  assert.deepEqual(readConfig({ PATH: '/bin', HOME: '/root' }), {
    port: 3000,
    host: '127.0.0.1',
    addresses: { publicScheme: 'http', serviceDomain: 'localhost:3000' },
    saysAddresses: false,
    insecureHttp: false,
    databaseUrl: 'sqlite:data/gatehouse.db',
    databaseWaitMilliseconds: null,
    databasePooling: 'session',
    masterKeyFile: 'data/master.key',
    trustProxy: [],
    hookEgress: { public: true, hosts: [] },
    egress: { public: true, hosts: [] },
    hookRuntimes: [{ name: 'jsruntime12.x', node: null }],
    npmRegistry: 'npm',
    hookPackages: 'confined',
    geoipDatabase: null,
    smtp: null,
    mailFrom: 'no-reply@localhost',
    mailFolder: 'data/mail',
    logLevel: 'info',
    metricsToken: null,
    traces: null,
    drainSeconds: 2,
    startPage: 'account',
    envFile: null,
    warnings: [],
  });
});

test('the configuration is read-only', () => {
  const config = readConfig({});
  for (const part of [config, config.addresses, config.trustProxy]) assert.ok(Object.isFrozen(part));
});

test('every setting is read', () => {
  const config = readConfig({
    PORT: '8443',
    HOST: '0.0.0.0',
    SERVICE_DOMAIN: 'ID.Example.com:443',
    PUBLIC_SCHEME: 'https',
    INSECURE_HTTP: '0',
    DATABASE_URL: 'postgres://gatehouse:secret@db/gatehouse',
    MASTER_KEY_FILE: '/run/secrets/key',
    TRUST_PROXY: '10.0.0.0/8, 192.168.0.1,fd00::/8',
    LOG_LEVEL: 'debug',
    METRICS_TOKEN: 'x'.repeat(16),
    DRAIN_SECONDS: '30',
    START_PAGE: 'docs',
    DATABASE_WAIT_MILLISECONDS: '5000',
    DATABASE_POOLING: 'transaction',
    HOOK_EGRESS: 'none',
    EGRESS: 'public, http://10.0.0.5:8080',
    NPM_REGISTRY: 'https://npm.example.com',
    HOOK_PACKAGES: 'unconfined',
    GEOIP_DATABASE: '/var/lib/GeoLite2-Country.mmdb',
    SMTP_URL: 'smtps://gate%40house:p%C3%A4ss@mail.example.com',
    MAIL_FROM: 'Northwind Traders <id@example.com>',
  });
  const sender = { user: 'gate@house', password: 'päss' };
  assert.deepEqual(config.smtp, { host: 'mail.example.com', port: 465, secure: true, ...sender, isLocal: false });
  assert.equal(config.mailFrom, 'Northwind Traders <id@example.com>');
  assert.equal(config.mailFolder, '/run/secrets/mail');
  assert.equal(config.npmRegistry, 'https://npm.example.com/');
  assert.equal(config.hookPackages, 'unconfined');
  assert.equal(config.geoipDatabase, '/var/lib/GeoLite2-Country.mmdb');
  assert.deepEqual(config.hookEgress, { public: false, hosts: [] });
  assert.deepEqual(config.egress, { public: true, hosts: [{ scheme: 'http', hostname: '10.0.0.5', port: 8080 }] });
  assert.equal(config.drainSeconds, 30);
  assert.equal(config.startPage, 'docs');
  assert.equal(config.saysAddresses, true);
  assert.equal(config.databaseWaitMilliseconds, 5000);
  assert.equal(config.databasePooling, 'transaction');
  assert.deepEqual(config.addresses, { publicScheme: 'https', serviceDomain: 'id.example.com' });
  assert.deepEqual(config.trustProxy, ['10.0.0.0/8', '192.168.0.1', 'fd00::/8']);
  assert.equal(config.metricsToken, 'x'.repeat(16));
  assert.equal(config.port, 8443);
});

test('an empty setting counts as not set', () => {
  assert.deepEqual(readConfig(Object.fromEntries(Object.keys(settings).map((name) => [name, '']))), readConfig({}));
});

test('a mail server may be anywhere, with or without a user; a sender is one address', () => {
  const nobody = { user: null, password: null };
  for (const [text, smtp] of [
    ['smtp://localhost:2525', { host: 'localhost', port: 2525, secure: false, ...nobody, isLocal: true }],
    ['smtp://[::1]/', { host: '::1', port: 587, secure: false, ...nobody, isLocal: true }],
    ['smtp://ada@mail', { host: 'mail', port: 587, secure: false, user: 'ada', password: null, isLocal: false }],
  ] as const) {
    assert.deepEqual(readConfig({ SMTP_URL: text }).smtp, smtp);
  }
  for (const text of [
    'mail.example.com',
    'http://mail',
    'smtp://',
    'smtp://mail/path',
    'smtp://:secret@mail',
    'smtp://%ff@mail',
  ])
    assert.deepEqual(mistakesOf({ SMTP_URL: text }), ['SMTP_URL must be smtp:// or smtps:// with a host'], text);
  assert.equal(readConfig({ SERVICE_DOMAIN: 'id.example.com:8443' }).mailFrom, 'no-reply@id.example.com');
  for (const text of ['nobody', 'a@b, c@d', 'A <a@b', 'a@b>', 'A\nB: c <a@b>', '<a@b> <c@d>'])
    assert.equal(mistakesOf({ MAIL_FROM: text }).length, 1, text);
});

test('the service domain follows the port', () => {
  assert.equal(readConfig({ PORT: '4000' }).addresses.serviceDomain, 'localhost:4000');
  assert.equal(readConfig({ PORT: '80' }).addresses.serviceDomain, 'localhost');
});

test('all mistakes are reported at once, and none repeats a secret', () => {
  const mistakes = mistakesOf({
    PORT: '70000',
    PUBLIC_SCHEME: 'ftp',
    DATABASE_URL: 'mysql://root:hunter2@db',
    DATABASE_WAIT_MILLISECONDS: '99',
    DATABASE_POOLING: 'statement',
    TRUST_PROXY: '0.0.0.0/0',
    SMTP_URL: 'smtp://gatehouse:hunter2@',
    METRICS_TOKEN: 'short-hunter2',
    LOG_LEVEL: 'loud',
    INSECURE_HTTP: 'yes',
    SERVICE_DOMAIN: 'https://id.example.com',
  });
  assert.deepEqual(mistakes.map((mistake) => mistake.split(' ', 1)[0]).sort(), [
    'DATABASE_POOLING',
    'DATABASE_URL',
    'DATABASE_WAIT_MILLISECONDS',
    'INSECURE_HTTP',
    'LOG_LEVEL',
    'METRICS_TOKEN',
    'PORT',
    'PUBLIC_SCHEME',
    'SERVICE_DOMAIN',
    'SMTP_URL',
    'TRUST_PROXY',
  ]);
  assert.ok(!mistakes.join().includes('hunter2'));
});

test('an address beyond loopback needs TLS at a proxy, or plain http allowed explicitly', () => {
  assert.match(mistakesOf({ HOST: '0.0.0.0' })[0] ?? '', /not a loopback address.*TRUST_PROXY.*INSECURE_HTTP=1/);
  assert.equal(mistakesOf({ HOST: '0.0.0.0', PUBLIC_SCHEME: 'https' }).length, 1);
  assert.equal(mistakesOf({ HOST: '0.0.0.0', PUBLIC_SCHEME: 'http', TRUST_PROXY: '10.0.0.1' }).length, 1);
  assert.deepEqual(mistakesOf({ HOST: '0.0.0.0', TRUST_PROXY: '10.0.0.1' }), []);
  assert.deepEqual(mistakesOf({ HOST: '::', INSECURE_HTTP: '1' }), []);
  for (const host of ['::1', 'localhost', '127.1.2.3']) assert.deepEqual(mistakesOf({ HOST: host }), []);
});

test('a variable that looks like a misspelled setting is reported as unknown', () => {
  for (const [given, meant] of [
    ['DATABASE_URI', 'DATABASE_URL'],
    ['DATABASEURL', 'DATABASE_URL'],
    ['MASTER_KEY_FILES', 'MASTER_KEY_FILE'],
    ['trust_proxy', 'TRUST_PROXY'],
    ['Log_Level', 'LOG_LEVEL'],
  ] as const) {
    assert.deepEqual(mistakesOf({ [given]: 'x' }), [`unknown setting ${given}; did you mean ${meant}?`]);
  }
  assert.deepEqual(mistakesOf({ HOSTNAME: 'x', DATABASE: 'y', PATH: 'z', LOG: 'w' }), []);
});

test('a variable that another program may own is only warned of', () => {
  for (const [given, meant] of [
    ['GHOST', 'HOST'],
    ['RPORT', 'PORT'],
    ['PORT0', 'PORT'],
    ['port', 'PORT'],
    ['EGRES', 'EGRESS'],
  ] as const) {
    const warning = `the variable ${given} is not read; if it was to be a setting, write ${meant}`;
    assert.deepEqual(readConfig({ [given]: 'x' }).warnings, [warning]);
  }
});

test('one typo is a letter added, omitted or replaced, or two neighbours swapped', () => {
  for (const given of ['PORTS', 'PORR', 'POT', 'OPRT', 'XPORT', 'PORT']) assert.ok(isOneSlipFrom('PORT', given), given);
  for (const given of ['PATH', 'TROP', 'P', 'PORTSS', 'EXPORT', '']) assert.ok(!isOneSlipFrom('PORT', given), given);
});

test('hosts of an egress setting have a scheme, an optional port, and nothing else', () => {
  const hosts = (text: string) => parseEgress(text)?.hosts;
  assert.deepEqual(hosts('API.example.com'), [{ scheme: 'https', hostname: 'api.example.com', port: 443 }]);
  assert.deepEqual(hosts('http://db'), [{ scheme: 'http', hostname: 'db', port: 80 }]);
  assert.deepEqual(hosts('[::1]:8443,a.b.'), [
    { scheme: 'https', hostname: '[::1]', port: 8443 },
    { scheme: 'https', hostname: 'a.b', port: 443 },
  ]);
  for (const text of ['', 'a,', 'none,a', 'ftp://a', 'a/path', 'a?x', 'user@a', '*.example.com', 'a b']) {
    assert.equal(parseEgress(text), undefined, text);
  }
});

test('a runtime is an identifier, or an identifier and the path of a program', () => {
  const runtimesOf = (text: string) => readConfig({ HOOK_RUNTIMES: text }).hookRuntimes;
  assert.deepEqual(runtimesOf('jsruntime12.x, jsruntime24.x=/opt/node 26/bin/node'), [
    { name: 'jsruntime12.x', node: null },
    { name: 'jsruntime24.x', node: '/opt/node 26/bin/node' },
  ]);
  assert.deepEqual(runtimesOf('a=/x=y'), [{ name: 'a', node: '/x=y' }]);
  for (const text of [
    'a=',
    'a=node',
    'a=./node',
    'a=~/node',
    '=/x',
    'a,a',
    'a,a=/x',
    'a b=/x',
    'a,,b',
    '-a',
    `a=/${'x'.repeat(2000)}`,
  ]) {
    assert.match(mistakesOf({ HOOK_RUNTIMES: text })[0] ?? '', /^HOOK_RUNTIMES must be identifiers/, text);
  }
  assert.ok(Object.isFrozen(runtimesOf('a=/x')[0]));
});

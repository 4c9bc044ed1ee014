/** What `deploy/` says agrees with the program: settings, ports, addresses, times, files. */

import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { BlockList } from 'node:net';
import { describe, it } from 'node:test';
import { parse } from 'yaml';
import packageJson from '../../package.json' with { type: 'json' };
import { readConfig } from '../../src/config.ts';
import { settings } from '../../src/settings.ts';
import { startFlags } from '../support/process.ts';

const root = new URL('../../', import.meta.url);
const read = (path: string) => readFileSync(new URL(path, root), 'utf8');
const isSetting = (name: string) => Object.hasOwn(settings, name);
/** The password of the database, which its driver reads. */
const driversOwn = ['PGPASSWORD'];

describe('deploy/compose.yaml', () => {
  interface Service {
    readonly image: string;
    readonly command?: readonly string[];
    readonly environment?: Readonly<Record<string, string>>;
    readonly volumes?: readonly string[];
    readonly depends_on?: Readonly<Record<string, { readonly condition: string }>>;
    readonly stop_grace_period?: string;
    readonly security_opt?: readonly string[];
    readonly networks?: { readonly inside?: { readonly ipv4_address?: string } };
  }
  const file: {
    readonly services: Readonly<Record<string, Service>>;
    readonly networks: {
      readonly inside: {
        readonly ipam: { readonly config: readonly { readonly subnet: string; readonly ip_range: string }[] };
      };
    };
  } = parse(read('deploy/compose.yaml'), { merge: true });
  const { services } = file;
  const own = Object.entries(services).filter(([, { image }]) => image.startsWith('gatehouse:'));
  const nodes = own.filter(([name]) => name !== 'migrate');
  const nginx = read('deploy/compose/nginx.conf');

  it('gives each process settings that there are, with which it starts', () => {
    assert.deepEqual(
      own.map(([name]) => name),
      ['migrate', 'gatehouse-1', 'gatehouse-2'],
    );
    for (const [name, { environment = {}, image }] of own) {
      assert.equal(image, `gatehouse:${packageJson.version}`);
      const given = Object.entries(environment).filter(([setting]) => !driversOwn.includes(setting));
      for (const [setting] of given) assert.ok(isSetting(setting), `${name}: ${setting}`);
      // As Compose puts it in: what must be set, and what may be left out.
      const filled = Object.fromEntries(
        given.map(([setting, text]) => [
          setting,
          text.replace(/^\$\{\w+:\?.*\}$/, 'id.example.com').replace(/^\$\{\w+:-\}$/, ''),
        ]),
      );
      const config = readConfig(filled);
      assert.deepEqual(config.trustProxy, [file.networks.inside.ipam.config[0]?.subnet]);
      assert.ok(Number.parseInt(services[name]?.stop_grace_period ?? '', 10) >= config.drainSeconds + 15);
    }
  });

  it('migrates before a process starts, and has a database before that', () => {
    assert.deepEqual(services['migrate']?.command, ['db', 'migrate']);
    assert.deepEqual(services['migrate']?.depends_on, { database: { condition: 'service_healthy' } });
    for (const [, { depends_on: after }] of nodes) {
      assert.deepEqual(after, { migrate: { condition: 'service_completed_successfully' } });
    }
    assert.match(read('Dockerfile'), /^HEALTHCHECK /m);
  });

  it('the balancer sends to each process, and says what a proxy has to say', () => {
    const servers = [...nginx.matchAll(/^ +server ([\w-]+):(\d+) /gm)].map(([, name, port]) => `${name}:${port}`);
    assert.deepEqual(
      servers,
      nodes.map(([name, { environment }]) => `${name}:${environment?.['PORT']}`),
    );
    for (const header of ['Client-Cert ""', 'traceparent ""', 'Host $http_host', 'X-Forwarded-For $remote_addr']) {
      assert.ok(nginx.includes(`proxy_set_header ${header};`), header);
    }
    assert.ok(Number(/keepalive_timeout (\d+)s/.exec(nginx)?.[1]) < 5);
  });

  it('gives the processes addresses of their own, which the balancer looks up once', () => {
    const [{ subnet = '', ip_range: others = '' } = {}] = file.networks.inside.ipam.config;
    const listOf = (network: string) => {
      const list = new BlockList();
      const [address = '', bits] = network.split('/');
      list.addSubnet(address, Number(bits));
      return list;
    };
    const addresses = nodes.map(([, { networks }]) => networks?.inside?.ipv4_address ?? '');
    assert.equal(new Set(addresses).size, nodes.length);
    for (const address of addresses) {
      assert.deepEqual([listOf(subnet).check(address), listOf(others).check(address)], [true, false], address);
    }
  });

  it('mounts files of the repository, or those that the docs have the reader make', () => {
    const docs = read('docs/deploying.md');
    for (const [name, { volumes = [], security_opt: options = [] }] of Object.entries(services)) {
      const files = volumes.flatMap((volume) => /^\.\/([^:]+):/.exec(volume)?.[1] ?? []);
      const profiles = options.flatMap((option) => /^seccomp=(.+)$/.exec(option)?.[1] ?? []);
      for (const path of [...files, ...profiles]) {
        assert.ok(existsSync(new URL(`deploy/${path}`, root)) || docs.includes(path), `${name}: ${path}`);
      }
    }
  });
});

describe('deploy/helm/gatehouse', () => {
  const folder = 'deploy/helm/gatehouse';
  const values: Readonly<Record<string, unknown>> = parse(read(`${folder}/values.yaml`));
  const templates = readdirSync(new URL(`${folder}/templates`, root)).map((name) => ({
    name,
    text: read(`${folder}/templates/${name}`),
  }));
  const all = templates.map(({ text }) => text).join('\n');

  function at(path: string): unknown {
    return path
      .split('.')
      .reduce<unknown>((found, name) => (found as Record<string, unknown> | undefined)?.[name], values);
  }

  it('is of this version', () => {
    const chart = parse(read(`${folder}/Chart.yaml`));
    assert.deepEqual([chart.version, chart.appVersion], [packageJson.version, packageJson.version]);
  });

  it('asks for values that there are, and for each of them', () => {
    const asked = new Set([...all.matchAll(/\.Values\.([\w.]+)/g)].map(([, path = '']) => path));
    for (const path of asked) assert.notEqual(at(path), undefined, path);
    const isAsked = (path: string) => [...asked].some((one) => path === one || path.startsWith(`${one}.`));
    const leaves = (value: unknown, path: string): string[] =>
      typeof value === 'object' && value !== null && !Array.isArray(value) && Object.keys(value).length > 0
        ? Object.entries(value).flatMap(([name, inner]) => leaves(inner, path === '' ? name : `${path}.${name}`))
        : [path];
    for (const path of leaves(values, '')) assert.ok(isAsked(path), path);
  });

  it('includes templates that it defines', () => {
    const defined = new Set([...all.matchAll(/\{\{- define "([^"]+)"/g)].map(([, name]) => name));
    const included = new Set([...all.matchAll(/\binclude "([^"]+)"/g)].map(([, name]) => name));
    assert.deepEqual([...included].sort(), [...defined].sort());
    for (const { name, text } of templates) {
      const opened = text.match(/\{\{-? ?(if|range|with|define)\b/g)?.length ?? 0;
      assert.equal(text.match(/\{\{-? end /g)?.length ?? 0, opened, name);
    }
  });

  it('gives settings that there are, with which a process starts', () => {
    const fixed = [...all.matchAll(/\{ name: ([A-Z_]+), value: "?([^" }]+)"? \}/g)].map(([, name = '', value = '']) => [
      name,
      value,
    ]);
    assert.deepEqual(
      fixed.map(([name]) => name),
      ['HOST', 'PORT', 'PUBLIC_SCHEME', 'MASTER_KEY_FILE'],
    );
    const [, refused = ''] = /has \$name \(list ([^)]*)\)/.exec(all) ?? [];
    assert.deepEqual(
      refused.split(' ').map((name) => JSON.parse(name)),
      fixed.map(([name]) => name),
      'what the chart sets cannot be set otherwise',
    );
    const settings = values['settings'] as Record<string, string>;
    const given = { ...Object.fromEntries(fixed), ...settings, TRUST_PROXY: '10.42.7.15' };
    for (const name of Object.keys(given)) assert.ok(isSetting(name), name);
    const config = readConfig(given);
    assert.equal(config.port, Number(/containerPort: (\d+)/.exec(all)?.[1]));
    assert.ok(all.includes(`mountPath: ${config.masterKeyFile.replace(/\/[^/]+$/, '')}`));
    // Two failed probes must be over before the process stops to serve.
    const probe = /readinessProbe:[\s\S]*?periodSeconds: (\d+)[\s\S]*?failureThreshold: (\d+)/.exec(all) ?? [];
    assert.ok(config.drainSeconds > Number(probe[1]) * Number(probe[2]));
    assert.match(all, /terminationGracePeriodSeconds: \{\{ add \(int \.Values\.settings\.DRAIN_SECONDS\) 20 \}\}/);
  });

  it('trusts no proxy that nobody named, and the guide names an address, not the range of all pods', () => {
    assert.equal(at('settings.TRUST_PROXY'), '');
    const environment = /define "gatehouse\.environment" -\}\}\n([\s\S]*?)\nenv:/.exec(all)?.[1] ?? '';
    assert.match(
      environment,
      /^\{\{- if not \.Values\.settings\.TRUST_PROXY \}\}\n\{\{- fail "[^"]+" \}\}\n\{\{- end \}\}$/,
    );
    const [, shown = ''] = /--set settings\.TRUST_PROXY=(\S+)/.exec(read('docs/deploying.md')) ?? [];
    assert.match(shown, /^\d+(?:\.\d+){3}$/);
  });

  it('asks for health at addresses that there are, and scales by a metric that there is', async () => {
    const { catalogue } = await import('../../src/metrics/catalogue.ts');
    const health = read('src/http/health.ts');
    for (const [, path] of all.matchAll(/\bpath: (\/\w+)/g)) assert.ok(health.includes(`router.get('${path}'`), path);
    for (const [, metric = ''] of all.matchAll(/metric: \{ name: (\w+) \}/g))
      assert.ok(Object.hasOwn(catalogue, metric));
  });
});

describe('deploy/systemd', () => {
  const units = readdirSync(new URL('deploy/systemd', root));

  it('starts what there is, and leaves it the time to stop', () => {
    const served = read('deploy/systemd/gatehouse.service');
    const seconds = Number(/^TimeoutStopSec=(\d+)$/m.exec(served)?.[1]);
    assert.ok(seconds >= readConfig({}).drainSeconds + 15);
    for (const unit of units.filter((name) => name.endsWith('.service'))) {
      const [, program = ''] = /^ExecStart=\S+ (?:--\S+ )*(\S+)/m.exec(read(`deploy/systemd/${unit}`)) ?? [];
      assert.ok(existsSync(new URL(program.replace(/^\/opt\/gatehouse\//, ''), root)), unit);
    }
  });

  it('is reloaded from where a link leads by then, which a path from the working folder is not', () => {
    assert.match(
      read('deploy/systemd/gatehouse.service'),
      /^ExecStart=\S+ (?:--\S+ )+\/opt\/gatehouse\/bin\/\S+ serve/m,
    );
  });

  it('runs in a Node with the flags of `npm start`, as the image does', () => {
    const unit = /^ExecStart=\S+ ((?:--\S+ )+)/m.exec(read('deploy/systemd/gatehouse.service'))?.[1] ?? '';
    assert.deepEqual(unit.trim().split(' '), startFlags);
    const image = /^ENTRYPOINT (\[.+\])$/m.exec(read('Dockerfile'))?.[1] ?? '';
    assert.deepEqual(JSON.parse(image), ['node', ...startFlags, 'bin/gatehouse.js']);
  });

  it('each timer has its service', () => {
    for (const unit of units.filter((name) => name.endsWith('.timer'))) {
      assert.ok(units.includes(unit.replace('.timer', '.service')), unit);
    }
  });
});

describe('deploy/seccomp.json', () => {
  interface Rule {
    readonly names: readonly string[];
    readonly action: string;
    readonly errnoRet?: number;
    readonly args?: readonly { readonly value: number }[];
  }
  const profile: { readonly defaultAction: string; readonly syscalls: readonly Rule[] } = JSON.parse(
    read('deploy/seccomp.json'),
  );
  const rulesOf = (call: string) => profile.syscalls.filter(({ names }) => names.includes(call));

  it('allows the namespaces of hooks, and none of what would lead out of a container', () => {
    assert.equal(profile.defaultAction, 'SCMP_ACT_ERRNO');
    for (const call of ['unshare', 'clone', 'mount', 'chroot', 'setns', 'execve', 'futex', 'epoll_pwait']) {
      assert.deepEqual(
        rulesOf(call).map(({ action, args }) => [action, args]),
        [['SCMP_ACT_ALLOW', undefined]],
        call,
      );
    }
    for (const call of [
      'bpf',
      'ptrace',
      'kexec_load',
      'init_module',
      'reboot',
      'keyctl',
      'perf_event_open',
      'swapon',
    ]) {
      assert.deepEqual(rulesOf(call), [], call);
    }
  });

  it('says that clone3 is not there, so that libraries use clone; opens sockets of known families', () => {
    assert.deepEqual(
      rulesOf('clone3').map(({ action, errnoRet }) => [action, errnoRet]),
      [['SCMP_ACT_ERRNO', 38]],
    );
    assert.deepEqual(
      rulesOf('socket').map(({ args }) => args?.[0]?.value),
      [1, 2, 10, 16],
    );
  });

  it('names each call once', () => {
    const names = profile.syscalls.filter(({ args }) => !args).flatMap((rule) => rule.names);
    assert.equal(new Set(names).size, names.length);
  });
});

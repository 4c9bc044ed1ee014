/** What a registry says of a package that does not fit it, and where it sends to. */

import { type Attack, type Members, putThrough, type Site } from './site.ts';

/** `away@1.0.0`, described as it should not be. */
function putDescribed(site: Site, dist: Members, manifest: Members = {}): void {
  putThrough(site, { away: '1' });
  site.registry.add('away', '1.0.0', undefined, { dist, manifest });
}

const tarballs: Readonly<Record<string, (site: Site) => unknown>> = {
  'another port': ({ other }) => `http://${other}/a.tgz`,
  'another scheme': ({ registry }) => registry.url.replace('http:', 'https:'),
  'another host by its name': ({ other }) => `http://localhost:${other.split(':')[1]}/a.tgz`,
  'a user before the registry': ({ registry }) => `${registry.url.replace('//', '//user:word@')}a.tgz`,
  'the registry as the user': ({ registry, other }) => `${registry.url.slice(0, -1)}@${other}/a.tgz`,
  'no scheme': ({ other }) => `//${other}/a.tgz`,
  'slashes the other way': ({ other }) => `http:\\\\${other}\\a.tgz`,
  'lines within': ({ other }) => `ht\ntp://${other}/a.tgz`,
  'a file': ({ canary }) => `file://${canary}/secret.js`,
  'git over http': ({ other }) => `git+http://${other}/a.git`,
  data: () => 'data:application/gzip;base64,H4sI',
  'a path alone': () => '/tarballs/victim/1.0.0.tgz',
  'a very long one': ({ registry }) => `${registry.url}${'a'.repeat(100_000)}.tgz`,
  'a number': () => 1,
  nothing: () => null,
};

function redirecting(status: number, from: RegExp, to: (site: Site) => string): (site: Site) => void {
  return (site) => {
    putDescribed(site, {});
    site.registry.answer((req, res) => {
      if (!from.test(decodeURIComponent(req.url ?? ''))) return false;
      res.writeHead(status, { location: to(site) }).end();
      return true;
    });
  };
}

const elsewhere = ({ other }: Site) => `http://${other}/x`;
const sent: Readonly<Record<string, (site: Site) => void>> = {
  ...Object.fromEntries(
    [301, 302, 303, 307, 308].map((status) => [
      `a tarball by ${status}`,
      redirecting(status, /tarballs\/away/, elsewhere),
    ]),
  ),
  'a description elsewhere': redirecting(302, /^\/away/, elsewhere),
  'a description to another path': redirecting(302, /^\/away/, () => '/middle'),
  'a tarball to a file': redirecting(302, /tarballs\/away/, ({ canary }) => `file://${canary}/secret.js`),
};

function answering(text: (site: Site) => string): (site: Site) => void {
  return (site) => {
    putDescribed(site, {});
    site.registry.answer((req, res) => {
      if (!/^\/away($|\/)/.test(req.url ?? '')) return false;
      res.end(text(site));
      return true;
    });
  };
}

function describing(change: (version: Record<string, unknown>, site: Site) => object): (site: Site) => void {
  return answering((site) => {
    const dist = { tarball: `${site.registry.url}tarballs/away/1.0.0.tgz`, integrity: `sha512-${'A'.repeat(86)}==` };
    return JSON.stringify(change({ name: 'away', version: '1.0.0', dist }, site));
  });
}

const described: Readonly<Record<string, (site: Site) => void>> = {
  'a version that is a path': describing((version) => ({
    name: 'away',
    'dist-tags': { latest: '../../../canary' },
    versions: { '../../../canary': { ...version, version: '../../../canary' } },
  })),
  'a version that ends as a path': describing((version) => ({
    name: 'away',
    'dist-tags': { latest: '1.0.0/../../../canary' },
    versions: { '1.0.0/../../../canary': { ...version, version: '1.0.0/../../../canary' } },
  })),
  'a version whose description goes up': describing((version) => ({
    name: 'away',
    versions: { '1.0.0': { ...version, version: '../../../../canary' } },
  })),
  'a version under the number of another': describing((version) => ({
    name: 'away',
    versions: { '1.0.0': { ...version, version: '1.0.1' } },
  })),
  'another name': describing((version) => ({ name: 'away', versions: { '1.0.0': { ...version, name: 'victim' } } })),
  'a name that goes up': describing((version) => ({
    name: '../../../canary',
    versions: { '1.0.0': { ...version, name: '../../../canary' } },
  })),
  'a list for versions': describing((version) => ({ name: 'away', versions: [version] })),
  'nothing for versions': describing(() => ({ name: 'away', versions: null })),
  'nothing for a version': describing(() => ({ name: 'away', versions: { '1.0.0': null } })),
  'a text for dependencies': describing((version) => ({
    name: 'away',
    versions: { '1.0.0': { ...version, dependencies: 'http://127.0.0.1/' } },
  })),
  'nothing at all': answering(() => 'null'),
  'a list': answering(() => '[]'),
  'no JSON': answering(() => '<html>'),
  'a hundred thousand levels': answering(() => '['.repeat(100_000)),
};

export const answerAttacks: readonly Attack[] = [
  ...Object.entries(tarballs).map(
    ([name, addressOf]): Attack => ({
      name: `dist.tarball: ${name}`,
      put: (site) => putDescribed(site, { tarball: addressOf(site) }),
    }),
  ),
  ...Object.entries(sent).map(([name, put]): Attack => ({ name: `a redirect: ${name}`, put })),
  ...Object.entries(described).map(([name, put]): Attack => ({ name: `a description: ${name}`, put })),
];

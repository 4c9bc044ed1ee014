/** Ranges that are none, behind a name that is one. */

import { type Attack, putThrough, type Site } from './site.ts';

const up = '../'.repeat(12);

const ranges: Readonly<Record<string, (site: Site) => unknown>> = {
  'an address elsewhere': ({ other }) => `http://${other}/a.tgz`,
  'an address elsewhere by https': ({ other }) => `https://${other}/a.tgz`,
  'an address of the registry': ({ registry }) => `${registry.url}any.tgz`,
  'git over http': ({ other }) => `git+http://${other}/a.git`,
  git: ({ other }) => `git://${other}/a.git#semver:^1`,
  'git over ssh': ({ other }) => `git+ssh://git@${other}/a.git`,
  'a repository by its host': () => 'github:user/repository',
  'a repository': () => 'user/repository#semver:1',
  'a file': ({ canary }) => `file:${canary}`,
  'a file beside': () => 'file:../../../canary',
  'a relative path': () => '../../../canary',
  'an absolute path': ({ canary }) => canary,
  'a tarball by its name': () => 'canary.tgz',
  'a link': ({ canary }) => `link:${canary}`,
  'a workspace': () => 'workspace:*',
  'an alias of a path': ({ canary }) => `npm:${up}${canary.slice(1)}@1.0.0`,
  'an alias of an address': ({ other }) => `npm:http://${other}/a@1.0.0`,
  'an alias with an address for a range': ({ other }) => `npm:away@http://${other}/a.tgz`,
  'an alias with a file for a range': ({ canary }) => `npm:away@file:${canary}`,
  'an alias of an alias': () => 'npm:npm:away@1.0.0',
  'an alias in an alias': () => 'npm:away@npm:away@1.0.0',
  'an alias of a scope that goes up': () => 'npm:@scope/../../../../canary@1.0.0',
  'an alias of nothing': () => 'npm:@1.0.0',
  'a tag': () => 'next',
  'a range with a zero byte': () => '1.0.0\u0000',
  'a range of two lines': () => '1.0.0\n2',
  'full-width digits': () => '\uff11.0.0',
  'a very long range': () => '>=1.0.0 '.repeat(20_000),
  'a range with a path after it': () => '1.0.0/../../../canary',
  'a number': () => 1,
  nothing: () => null,
  'a list': () => ['1.0.0'],
  'an object': () => ({ toString: '1.0.0' }),
};

export const rangeAttacks: readonly Attack[] = Object.entries(ranges).map(([name, rangeOf]) => ({
  name: `a dependency's range: ${name}`,
  put(site) {
    site.answerAs('away');
    putThrough(site, { away: rangeOf(site) });
  },
}));

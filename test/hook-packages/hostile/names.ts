/** Invalid names, each two levels below the hook's own packages. */

import { type Attack, putThrough, type Site } from './site.ts';

const up = '../'.repeat(12);

const names: Readonly<Record<string, (site: Site) => string>> = {
  'a way out of node_modules': () => '../../../canary',
  'a way out with the place of the canary': ({ canary }) => `${up}${canary.slice(1)}`,
  'an absolute path': ({ canary }) => canary,
  'the folder above': () => '..',
  'its own folder': () => '.',
  'a relative path': () => './x',
  'a path from home': () => '~/x',
  'a scope that goes up': () => '@../canary',
  'a scope and three folders up': () => '@scope/../../../../canary',
  'a scope and the folder above': () => '@scope/..',
  'an empty scope': () => '@/canary',
  'three levels': () => '@scope/a/b',
  'encoded slashes': () => '..%2f..%2f..%2fcanary',
  'encoded dots': () => '%2e%2e/%2e%2e/%2e%2e/canary',
  'slashes the other way': () => '..\\..\\..\\canary',
  'an address of the registry that goes up': ({ registry, canary }) => `${registry.url}${up}${canary.slice(1)}`,
  'an address of the registry that goes up to a new folder': ({ registry, parent }) =>
    `${registry.url}${up}${parent.slice(1)}/planted`,
  'an address elsewhere': ({ other }) => `http://${other}/x`,
  'an address elsewhere by https': ({ other }) => `https://${other}/x`,
  'an address with a user': ({ other }) => `http://user:word@${other}/x`,
  'git over http': ({ other }) => `git+http://${other}/x.git`,
  'git over https': ({ other }) => `git+https://${other}/x.git`,
  git: ({ other }) => `git://${other}/x.git`,
  'a file by its address': ({ canary }) => `file:${canary}`,
  'a file beside': () => 'file:../../../canary',
  'a link': ({ canary }) => `link:${canary}`,
  'a repository': () => 'user/repository',
  'a repository by its host': () => 'github:user/repository',
  'an alias': () => 'npm:victim',
  'a name with a version': () => 'away@1.0.0',
  'the prototype': () => '__proto__',
  'a name that begins with a dot': () => '.bin',
  'a name that begins with an underscore': () => '_cache',
  'the folder of packages': () => 'node_modules',
  'no name at all': () => '',
  'a very long name': () => 'a'.repeat(300),
  'a name of many levels': () => 'a/'.repeat(5_000),
  'a name with a zero byte': () => 'away\u0000',
  'a name of two lines': () => 'away\nhttp://127.0.0.1/',
  'a name with an escape': () => '\u001b[2Jaway',
  'a name with a space': () => 'a way',
  'full-width letters': () => '\uff41way',
  'letters that look alike': () => 'аwаy',
  'a name that is read from right to left': () => 'away\u202eyawa',
};

export const nameAttacks: readonly Attack[] = Object.entries(names).map(([name, nameOf]) => ({
  name: `a dependency's name: ${name}`,
  put(site) {
    const hostile = nameOf(site);
    site.answerAs(hostile);
    // As JSON.parse makes members, also that of the prototype.
    putThrough(site, JSON.parse(`{${JSON.stringify(hostile)}:"1.0.0"}`));
  },
}));

/** JavaScript and package files that would bring files from outside into a bundle. */

import { type Attack, type Members, putThrough, type Site } from './site.ts';

const up = '../'.repeat(12);
/** The service's own packages, and the service itself. */
const service = new URL('../../../', import.meta.url).pathname.slice(1);
/** Of path-browserify, of our package file and of our contracts, whatever a minifier makes of their names. */
const ofService = /Path must be a string|name:"gatehouse"|openapi:"3/;

interface Case {
  readonly files: (site: Site) => Readonly<Record<string, string>>;
  readonly manifest?: (site: Site) => Members;
  readonly ends?: 'built';
}

const one = (source: (site: Site) => string): Case => ({ files: (site) => ({ 'index.js': source(site) }) });

const sources: Readonly<Record<string, Case>> = {
  'a pattern of the service\u2019s packages': one(
    () => `module.exports = (x) => require('${up}${service}node_modules/path-browserify/' + x);`,
  ),
  'a pattern of all the service\u2019s packages': one(
    () => `module.exports = (x) => require('${up}${service}node_modules/' + x + '/package.json');`,
  ),
  'a pattern of the service': one(() => `module.exports = (x) => require('${up}${service}' + x + '.json');`),
  'a pattern of the canary': one(({ canary }) => `module.exports = (x) => require('${up}${canary.slice(1)}/' + x);`),
  'a pattern of three folders up': {
    ...one(() => `module.exports = (x) => require('../../../' + x + '.js');`),
    // Of the folders that it names, that of the build alone has files.
    ends: 'built',
  },
  'a pattern of folders above': one(() => `module.exports = (x) => require('../../../../' + x + '/secret.js');`),
  'a pattern in an import': one(
    ({ canary }) => `module.exports = (x) => import(\`${up}${canary.slice(1)}/\${x}.js\`);`,
  ),
  'a pattern of files beside the packages': one(
    () => `module.exports = (x) => require('./../../../../canary/' + x + '.json');`,
  ),
  'a path': one(({ canary }) => `module.exports = require('${canary}/secret.js');`),
  'a way up': one(({ canary }) => `module.exports = require('${up}${canary.slice(1)}/secret.js');`),
  'a way up to the service': one(() => `module.exports = require('${up}${service}node_modules/path-browserify');`),
  'an address': one(({ canary }) => `import x from 'file://${canary}/secret.js'; export default x;`),
  'a file as text': one(
    ({ canary }) => `import x from '${up}${canary.slice(1)}/secret.json' with { type: 'text' }; export default x;`,
  ),
  'a place by import.meta': {
    ...one(({ canary }) => `module.exports = new URL('${up}${canary.slice(1)}/secret.js', import.meta.url);`),
    ends: 'built',
  },
  'a main file elsewhere': {
    files: () => ({}),
    manifest: ({ canary }) => ({ main: `${up}${canary.slice(1)}/secret.js` }),
  },
  'a file for browsers elsewhere': {
    files: () => ({ 'index.js': `module.exports = require('x');` }),
    manifest: ({ canary }) => ({ browser: { x: `${up}${canary.slice(1)}/secret.js` } }),
  },
  'exports elsewhere': {
    files: () => ({}),
    manifest: ({ canary }) => ({ exports: `./${up}${canary.slice(1)}/secret.js` }),
  },
  'imports elsewhere': {
    files: () => ({ 'index.js': `module.exports = require('#x');` }),
    manifest: ({ canary }) => ({ imports: { '#x': `./${up}${canary.slice(1)}/secret.js` } }),
  },
  'settings of a compiler': {
    files: ({ canary }) => ({
      'index.ts': 'export const a: number = 1;',
      'index.js': `exports.a = require('secret');`,
      'tsconfig.json': JSON.stringify({ extends: canary, compilerOptions: { baseUrl: canary, paths: { '*': ['*'] } } }),
    }),
  },
  'a map of sources': {
    ...one(({ canary }) => `exports.a = 1;\n//# sourceMappingURL=${up}${canary.slice(1)}/secret.json`),
    ends: 'built',
  },
};

export const sourceAttacks: readonly Attack[] = Object.entries(sources).map(
  ([name, { files, manifest, ends }]): Attack => ({
    name: `a source: ${name}`,
    never: ofService,
    ...(ends ? { ends } : {}),
    put(site) {
      putThrough(site, { away: '1' });
      site.registry.add('away', '1.0.0', files(site), { manifest: manifest?.(site) ?? {} });
    },
  }),
);

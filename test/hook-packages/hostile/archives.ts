/** Tarballs that would leave their folder, or the bounds of a build. */

import { gzipSync, zstdCompressSync } from 'node:zlib';
import { type Entry, pax, tarball } from '../../support/tarball.ts';
import { type Attack, type Members, putThrough, type Site } from './site.ts';

const up = '../'.repeat(12);
const content = 'taken';
const about: Entry = { name: 'package/package.json', content: '{"name":"away","version":"1.0.0"}' };
const index: Entry = { name: 'package/index.js', content: 'exports.a = 1;' };

function put(site: Site, data: Buffer, manifest: Members = {}): void {
  putThrough(site, { away: '1' });
  site.registry.add('away', '1.0.0', {}, { tarball: data, manifest });
}

interface Case {
  readonly entries: (site: Site) => readonly Entry[];
  readonly ends?: 'built';
}

/** A link, and then a file through it. */
function through(type: '1' | '2', link: string, name: string): readonly Entry[] {
  return [index, { name: 'package/way', type, link }, { name: `package/way${name}`, content }];
}

const archives: Readonly<Record<string, Case>> = {
  'a way up': { entries: () => [index, { name: '../../../../canary/planted', content }] },
  'a way up behind the first folder': { entries: () => [index, { name: `package/${up}tmp/planted`, content }] },
  'a way up and down again': { entries: () => [index, { name: 'package/a/../../../../../canary/secret.js', content }] },
  'an absolute path': { entries: ({ canary }) => [index, { name: `${canary}/planted`, content }] },
  'an absolute path behind the first folder': {
    ends: 'built',
    entries: ({ canary }) => [index, { name: `package/${canary}/p`, content }],
  },
  'a drive': { entries: () => [index, { name: 'package/C:\\planted', content }] },
  'slashes the other way': { entries: () => [index, { name: 'package/..\\..\\..\\canary\\planted', content }] },
  'the first folder as a link': {
    ends: 'built',
    entries: ({ canary }) => [
      { name: 'package', type: '2', link: canary },
      index,
      { name: 'package/planted', content },
    ],
  },
  'a link to a folder, and a file in it': { ends: 'built', entries: ({ canary }) => through('2', canary, '/planted') },
  'a link to a file, and a file over it': {
    ends: 'built',
    entries: ({ canary }) => through('2', `${canary}/secret.js`, ''),
  },
  'a relative link, and a file in it': { ends: 'built', entries: () => through('2', '../../../../canary', '/planted') },
  'a hard link to a file, and a file over it': {
    ends: 'built',
    entries: ({ canary }) => through('1', `${canary}/secret.js`, ''),
  },
  'a link whose target comes by PAX': {
    ends: 'built',
    entries: ({ canary }) => [
      index,
      pax({ linkpath: canary }),
      { name: 'package/way', type: '2', link: 'x' },
      { name: 'package/way/planted', content },
    ],
  },
  'a link whose target comes by GNU': {
    ends: 'built',
    entries: ({ canary }) => [
      index,
      { name: '././@LongLink', type: 'K', content: `${canary}\0` },
      { name: 'package/way', type: '2', link: 'x' },
      { name: 'package/way/planted', content },
    ],
  },
  'a device of characters': { entries: () => [index, { name: 'package/device', type: '3' }], ends: 'built' },
  'a device of blocks': { entries: () => [index, { name: 'package/device', type: '4' }], ends: 'built' },
  'a named pipe': { entries: () => [index, { name: 'package/pipe', type: '6' }], ends: 'built' },
  'an unknown kind': { entries: () => [index, { name: 'package/unknown', type: 'Z' }], ends: 'built' },
  'a name with a zero byte by PAX': {
    ends: 'built',
    entries: () => [index, pax({ path: 'package/a\0/../../x' }), { name: 'a', content }],
  },
  'a path by PAX over the header': {
    entries: ({ canary }) => [
      index,
      pax({ path: `package/${up}${canary.slice(1)}/planted` }),
      { name: 'package/a', content },
    ],
  },
  'an absolute path by PAX': {
    entries: ({ canary }) => [index, pax({ path: `${canary}/planted` }), { name: 'package/a', content }],
  },
  'a path by PAX for all that follow': {
    entries: ({ canary }) => [pax({ path: `${canary}/planted` }, 'g'), index, { name: 'package/a', content }],
    ends: 'built',
  },
  'a very long path by PAX': {
    entries: () => [index, pax({ path: `package/${'a/'.repeat(60_000)}b` }), { name: 'a', content }],
  },
  'a very long part by PAX': {
    entries: () => [index, pax({ path: `package/${'a'.repeat(300)}` }), { name: 'a', content }],
  },
  'a long name by GNU': {
    entries: ({ canary }) => [
      index,
      { name: '././@LongLink', type: 'L', content: `package/${up}${canary.slice(1)}/planted\0` },
      { name: 'package/a', content },
    ],
  },
  'a size by PAX that is not the header\u2019s': {
    entries: () => [index, pax({ size: '99999999' }), { name: 'package/a', content }],
  },
  'a size below zero': { entries: () => [index, { name: 'package/a', content, size: '-0000000010\0' }] },
  'a size beyond all': { entries: () => [index, { name: 'package/a', content, size: '77777777777\0' }] },
  'the bits that give rights': {
    entries: () => [
      { ...index, mode: 0o6777 },
      { name: 'package/tool', content, mode: 0o7777 },
    ],
    ends: 'built',
  },
  'names that differ in case': {
    entries: () => [index, { name: 'package/INDEX.js', content }, { name: 'package/Index.js', content }],
    ends: 'built',
  },
  'one path twice': { entries: () => [{ ...index, content: 'no JavaScript at all' }, index], ends: 'built' },
  'a file where a folder is': { entries: () => [index, { name: 'package/index.js/planted', content }] },
  'an escape in a name': { entries: () => [index, { name: 'package/\u001b[2J.js', content }] },
  'packages of others, which go up': {
    entries: () => [index, { name: 'package/node_modules/../../../../../canary/planted', content }],
  },
  'packages of others': {
    entries: () => [index, { name: 'package/node_modules/middle/index.js', content: 'no JavaScript at all' }],
    ends: 'built',
  },
  'ten thousand files': { entries: () => Array.from({ length: 10_001 }, (_, at) => ({ name: `package/${at}.js` })) },
};

const deep = tarball([{ name: 'package/a.js', content: Buffer.alloc(65 * 1024 * 1024) }]);
const wrapped: Readonly<Record<string, () => Buffer>> = {
  'much from little': () => deep,
  'much from little, twice over': () => gzipSync(deep),
  'much from little by another coding': () => gzipSync(zstdCompressSync(Buffer.alloc(65 * 1024 * 1024))),
  'no gzip': () => Buffer.from('no archive'),
  'no archive': () => gzipSync(Buffer.from('no archive'.repeat(200))),
  'half an archive': () => {
    const whole = tarball([index, { name: 'package/b.js', content: Buffer.alloc(4096, 'x') }]);
    return whole.subarray(0, whole.length / 2);
  },
};

export const archiveAttacks: readonly Attack[] = [
  ...Object.entries(archives).map(
    ([name, { entries, ends }]): Attack => ({
      name: `a tarball: ${name}`,
      ...(ends ? { ends } : {}),
      put: (site) =>
        put(site, tarball([about, ...entries(site)]), { bundleDependencies: ['middle'], bundledDependencies: true }),
    }),
  ),
  ...Object.entries(wrapped).map(
    ([name, make]): Attack => ({ name: `a tarball: ${name}`, put: (site) => put(site, make()) }),
  ),
];

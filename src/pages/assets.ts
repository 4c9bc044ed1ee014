import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';

/** A file that the hosted pages use, held in memory. */
export interface Asset {
  /** Media type for the Content-Type header. */
  readonly type: string;
  readonly body: Buffer;
  /** First 16 hexadecimal digits of the SHA-256 of `body`; the `v` parameter of the pages' links. */
  readonly digest: string;
}

// The allow-list: other names do not exist, and no name from a request reaches the file system. The parts of a file are
// joined in this order; in the style sheet later rules override earlier ones.
const sources = {
  'styles.css': {
    type: 'text/css; charset=utf-8',
    parts: ['base', 'frame', 'forms', 'content', 'second-factor', 'account', 'passkeys', 'adaptations'].map(
      (part) => `styles/${part}.css`,
    ),
  },
  'send-form.js': { type: 'text/javascript; charset=utf-8', parts: ['send-form.js'] },
  'passkeys.js': { type: 'text/javascript; charset=utf-8', parts: ['passkeys.js'] },
  'icon.svg': { type: 'image/svg+xml', parts: ['icon.svg'] },
} as const;

/** Names of the files that exist. */
export type AssetName = keyof typeof sources;

function load(type: string, parts: readonly string[]): Asset {
  const body = Buffer.concat(parts.map((part) => readFileSync(new URL(`./assets/${part}`, import.meta.url))));
  return { type, body, digest: createHash('sha256').update(body).digest('hex').slice(0, 16) };
}

/** All files of the hosted pages by name, read once when the module loads. */
export const assets: ReadonlyMap<string, Asset> = new Map(
  Object.entries(sources).map(([name, { type, parts }]) => [name, load(type, parts)]),
);

/** The address that pages link to: it changes with the content, so that browsers can cache the file for ever. */
export function assetUrl(name: AssetName): string {
  return `/assets/${name}?v=${assets.get(name)?.digest ?? ''}`;
}

/**
 * The Cache-Control of a file requested with `version` (the `v` parameter). Only an address with the digest is
 * immutable (RFC 8246); others are revalidated.
 */
export function assetCacheControl(asset: Asset, version: string | undefined): string {
  return version === asset.digest ? 'public, max-age=31536000, immutable' : 'no-cache';
}

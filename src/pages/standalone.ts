import { createHash } from 'node:crypto';
import { type AssetName, assets } from './assets.ts';

function text(name: AssetName): string {
  return assets.get(name)?.body.toString('utf8') ?? '';
}

const style = text('styles.css');

/**
 * Style and icon embedded in a page when no account is on the host: nothing else is served there, not even the pages'
 * files. Both are this service's own text.
 */
export const standalone = { style, mark: text('icon.svg').replace(/<title>.*<\/title>/, '') } as const;

/** The source expression that allows the style element of such a page and no other (CSP Level 3 §2.3.1). */
export const standaloneStyleSource = `'sha256-${createHash('sha256').update(style).digest('base64')}'`;

/** The pictures of the guides, which `npm run docs -- --pictures` takes in a browser. */

import { existsSync, readdirSync, readFileSync } from 'node:fs';

/** From the root of the installation. */
export const pictureFolder = 'docs/pictures';

const folder = new URL(`../../../${pictureFolder}/`, import.meta.url);

/** Their names, listed once: no name of a request reaches the file system. */
export function listPictures(): readonly string[] {
  return existsSync(folder) ? readdirSync(folder).filter((name) => /^[\w-]+\.png$/.test(name)) : [];
}

export function readPicture(name: string): Buffer {
  return readFileSync(new URL(name, folder));
}

/** Where the service has the picture that a page names by its path from the root; null for any other image. */
export function pictureAddress(path: string): string | null {
  const [, name] = new RegExp(`^${pictureFolder}/([\\w-]+\\.png)$`).exec(path) ?? [];
  return name !== undefined && listPictures().includes(name) ? `/docs/pictures/${name}` : null;
}

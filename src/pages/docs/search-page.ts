import { readFileSync } from 'node:fs';
import { guides, readGuide } from './guides.ts';
import { sectionsOf, titleOf } from './markdown.ts';
import { render } from './render.ts';
import type { Link, SurfaceView } from './surface-view.ts';

/** Scripts and styles of this host. The page carries what it searches, and asks for no data. */
export const searchPagePolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** What the search finds: a section of a guide, or an operation. Results with the same `page` are shown together. */
interface SearchEntry {
  readonly id: number;
  /** Where all of it is: the title of the guide, or of the operation. */
  readonly page: string;
  readonly pageHref: string;
  /** The summary of the guide, or method and path of the operation. */
  readonly about: string;
  readonly heading: string;
  readonly href: string;
  readonly text: string;
}

/** Guides by their sections, then every operation of every surface. */
export function searchEntries(surfaces: readonly SurfaceView[], link: Link): SearchEntry[] {
  const entries: Omit<SearchEntry, 'id'>[] = guides.flatMap((guide) => {
    const markdown = readGuide(guide);
    const pageHref = link(`/docs/${guide.name}`);
    const common = { page: titleOf(markdown), pageHref, about: guide.summary };
    return sectionsOf(markdown).map(({ heading, anchor, text }) => ({
      ...common,
      heading,
      href: anchor === '' ? pageHref : `${pageHref}#${anchor}`,
      text,
    }));
  });
  for (const surface of surfaces) {
    for (const { summary, method, path, operationId, href } of surface.operations) {
      const about = `${method} ${path}`;
      entries.push({ page: summary, pageHref: href, about, heading: surface.title, href, text: operationId });
    }
  }
  return entries.map((entry, id) => ({ id, ...entry }));
}

/** The page that searches guides and reference; its script does it in the browser. */
export function searchPage(surfaces: readonly SurfaceView[], link: Link): string {
  return render('search', 'Search – Gatehouse documentation', link, {
    // `<` would let the data end early.
    entries: JSON.stringify(searchEntries(surfaces, link)).replaceAll('<', '\\u003c'),
    scripts: [link('/docs/minisearch.js'), link('/docs/search.js')],
  });
}

/** The bundle of the npm package `minisearch`, with its licence. */
export function searchLibrary(): string {
  const read = (file: string) => readFileSync(new URL(file, import.meta.resolve('minisearch')), 'utf8');
  const bundle = read('../umd/index.js').replace(/\n\/\/# sourceMappingURL=\S+\s*$/, '\n');
  return `/*!\n${read('../../LICENSE.txt').trim()}\n*/\n${bundle}`;
}

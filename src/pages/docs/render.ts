import { readFileSync } from 'node:fs';
import { Eta } from 'eta';
import type { Link } from './surface-view.ts';

const eta = new Eta({ autoEscape: true });

// Compiled once, when the module loads: a template that does not compile stops the start.
for (const name of [
  'layout',
  'operations',
  'parts',
  'workflow',
  'guides',
  'search-form',
  'index',
  'contract',
  'guide',
  'search',
]) {
  eta.loadTemplate(`@${name}`, readFileSync(new URL(`./views/${name}.eta`, import.meta.url), 'utf8'));
}

/** Renders one template inside the layout: HTML of a whole document. */
export function render(
  template: 'index' | 'contract' | 'guide' | 'search',
  title: string,
  link: Link,
  view: object,
): string {
  return eta.render(`@${template}`, {
    ...view,
    title,
    homeHref: link('/docs'),
    searchHref: link('/docs/search'),
    styleHref: link('/docs/docs.css'),
    iconHref: link('/docs/icon.svg'),
  });
}

/** Escapes text for HTML, as the templates do. */
export function escapeHtml(text: string): string {
  return eta.config.escapeFunction(text);
}

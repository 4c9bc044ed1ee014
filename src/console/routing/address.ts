/** Where the page is: the address bar holds every screen, list and filter, so that a link leads back to it. */

import { stored, useStored } from '../parts/stored.ts';
import { leadsToScreen, root } from './links.ts';

export interface Address {
  /** Below `/console`, without a slash at either end. */
  readonly path: string;
  readonly query: URLSearchParams;
}

function read(): Address {
  const path = location.pathname.startsWith(root) ? location.pathname.slice(root.length) : '';
  return { path: path.replace(/^\/|\/$/g, ''), query: new URLSearchParams(location.search) };
}

const address = stored(read());
const refresh = () => address.set(read());

export const useAddress = (): Address => useStored(address);

export function hrefOf(path: string, query: Readonly<Record<string, string>> = {}): string {
  const text = new URLSearchParams(query).toString();
  return `${root}${path && `/${path}`}${text && `?${text}`}`;
}

export function go(href: string, how: 'push' | 'replace' = 'push'): void {
  if (how === 'push') history.pushState(null, '', href);
  else history.replaceState(null, '', href);
  refresh();
}

/** Changes parameters of the present address; an empty one goes. Another filter begins at the first page. */
export function setQuery(changes: Readonly<Record<string, string>>, how: 'push' | 'replace' = 'push'): void {
  const { path, query } = read();
  const next = new URLSearchParams(query);
  if (!('cursor' in changes)) next.delete('cursor');
  for (const [name, value] of Object.entries(changes)) {
    if (value === '') next.delete(name);
    else next.set(name, value);
  }
  go(hrefOf(path, Object.fromEntries(next)), how);
}

/** Links to other screens change the address without loading it; those to a place on the page are the browser's. */
export function followLinks(): void {
  addEventListener('popstate', refresh);
  document.addEventListener('click', (event) => {
    const link = event.target instanceof Element ? event.target.closest('a') : null;
    const isPlain = event.button === 0 && !event.ctrlKey && !event.metaKey && !event.shiftKey && !event.altKey;
    if (!link || !isPlain || event.defaultPrevented || link.target || !leadsToScreen(link, location.origin)) return;
    event.preventDefault();
    go(`${link.pathname}${link.search}`);
  });
}

/** Which links the page follows by itself. */

export const root = '/console';

interface Link {
  readonly origin: string;
  readonly pathname: string;
  readonly hash: string;
}

/** Whether a link is to a screen of the console here. One with a fragment moves the focus, as the skip link does. */
export function leadsToScreen({ origin, pathname, hash }: Link, here: string): boolean {
  return origin === here && hash === '' && (pathname === root || pathname.startsWith(`${root}/`));
}

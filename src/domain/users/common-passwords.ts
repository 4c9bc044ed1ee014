import { readFileSync } from 'node:fs';

let known: ReadonlySet<string> | undefined;

/**
 * Whether a folded password is one of the 10,000 most common ones of at least 8 characters (NIST SP 800-63B §3.1.1.2).
 * The list is loaded when the first password is set; for its source see `common-passwords/README.md`.
 */
export function isCommonPassword(folded: string): boolean {
  known ??= new Set(
    readFileSync(new URL('./common-passwords/list.txt', import.meta.url), 'utf8')
      .trimEnd()
      .split('\n'),
  );
  return known.has(folded);
}

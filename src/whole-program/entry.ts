/** What the one file begins with. */

export { run } from '../cli/program.ts';

/** Loads what only a server needs. */
export async function loadServer(): Promise<void> {
  await import('../main.ts');
}

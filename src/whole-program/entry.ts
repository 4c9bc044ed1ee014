/** What the one file begins with. */

export { run } from '../cli/program.ts';

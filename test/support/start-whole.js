// Starts the command line from the one file that commands start from, servers too: that takes less than half of what
// the sources take, and most servers of tests end within seconds. Without a fresh one it runs the sources, as
// `bin/start.js` does. JavaScript for the reason that is said there.
import { enableCompileCache } from 'node:module';
import { fileURLToPath } from 'node:url';
import { findCodeCache } from '../../bin/code-cache.js';

const cache = findCodeCache(fileURLToPath(new URL('../..', import.meta.url)));
if (cache !== null) enableCompileCache(cache);
const { loadWhole } = await import('../../src/whole-program/load.ts');
const whole = loadWhole();
if (whole) process.exitCode = await whole.run(process.argv.slice(2));
else await import('../../bin/start.js');

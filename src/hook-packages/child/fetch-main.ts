/** Argument: the build folder. */

import { grammar } from './grammar.ts';
import { serveFetch } from './serve-fetch.ts';

serveFetch(process.argv[2] as string, grammar);

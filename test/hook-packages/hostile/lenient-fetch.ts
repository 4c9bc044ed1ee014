/** The process that fetches with every check of names and places switched off: what is left is the second wall. */

import type { Grammar } from '../../../src/hook-packages/child/grammar.ts';
import { serveFetch } from '../../../src/hook-packages/child/serve-fetch.ts';

const lenient: Grammar = {
  isName: (_value): _value is string => true,
  isVersion: (_value): _value is string => true,
  isIntegrity: (_value): _value is string => true,
  readDependency: (place, range) => ({ place, name: place, range: String(range) }),
  readTarball: (value, registry) => URL.parse(String(value), registry.href),
  readEntryPath: (path) => path.replace(/^package\/?/, ''),
  isBelow: () => true,
};

serveFetch(process.argv[2] as string, lenient);

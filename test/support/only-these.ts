/** Node's module `node:test`, of which some modules get to declare tests. */

import * as real from 'node:test';
import { fileURLToPath } from 'node:url';
import { getCallSites } from 'node:util';

/** The variable that names them: their paths, one in a line. */
export const onlyVariable = 'GATEHOUSE_TEST_ONLY';

const wanted = new Set(process.env[onlyVariable]?.split('\n'));
/** From a test through what declares it to the file that is run. */
const mostFrames = 200;

function isWanted(): boolean {
  return getCallSites(mostFrames).some(({ scriptName }) =>
    wanted.has(scriptName.startsWith('file:') ? fileURLToPath(scriptName) : scriptName),
  );
}

type Declare = typeof real.it;

function narrowed(declare: Declare): Declare {
  return new Proxy(declare, {
    apply: (target, self, args) => (isWanted() ? Reflect.apply(target, self, args) : Promise.resolve()),
  });
}

export const it = narrowed(real.it);
export const test = narrowed(real.test);
export const { after, afterEach, before, beforeEach, describe, mock } = real;

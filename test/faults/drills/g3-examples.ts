import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { checkIntrospectedProofs, checkProofs } from '../../examples/proof-cases.ts';
import { checkIntrospection, checkJwts, withExample } from '../../examples/resource-cases.ts';
import { checkAtService } from '../../examples/service-tokens.ts';
import { examples, prepareExample } from '../../examples/toolchains.ts';
import type { Drill } from '../drill.ts';

const client = { GATEHOUSE_CLIENT_ID: 'an id', GATEHOUSE_CLIENT_SECRET: 'a:secret' };

/** G3: the examples of resource servers whose toolchains `npm test` does not need; a missing one is told. */
export const drill: Drill = {
  id: 'G3',
  title: 'the middleware of the examples in Python and Go takes good tokens alone, of the running service as well',
  rounds: 1,
  quickRounds: null,
  run: async ({ log }) => {
    const parent = mkdtempSync(join(tmpdir(), 'gatehouse-examples-'));
    const figures: Record<string, string> = {};
    let holds = true;
    try {
      for (const example of examples) {
        const began = performance.now();
        const outcome = await attempt(async () => {
          const program = await prepareExample(example, parent);
          if (program === null) return `left out: ${example.needs} not found`;
          await withExample(program, () => ({}), checkJwts);
          await withExample(program, () => ({}), checkProofs);
          await withExample(program, () => client, checkIntrospection);
          await withExample(program, () => client, checkIntrospectedProofs);
          await checkAtService(program);
          return `holds (${Math.round((performance.now() - began) / 1000)} s)`;
        });
        figures[example.name] = outcome.told;
        log(`${example.name}: ${outcome.told}`);
        holds &&= outcome.passed;
      }
    } finally {
      rmSync(parent, { recursive: true, force: true });
    }
    return { figures, holds };
  },
};

async function attempt(work: () => Promise<string>): Promise<{ readonly passed: boolean; readonly told: string }> {
  try {
    return { passed: true, told: await work() };
  } catch (error) {
    return { passed: false, told: `FAILS: ${error instanceof Error ? error.message : String(error)}` };
  }
}

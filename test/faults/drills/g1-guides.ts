import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { follow, followed } from '../../guides/follow.ts';
import type { Drill } from '../drill.ts';

/** G1: what the README and the guides say, done as it is written, in a fresh copy and an empty home. */
export const drill: Drill = {
  id: 'G1',
  title: 'every block of commands of the README and the guides runs, and every quick start signs a user in',
  rounds: 1,
  quickRounds: null,
  run: async ({ log }) => {
    const parent = mkdtempSync(join(tmpdir(), 'gatehouse-guides-'));
    const figures: Record<string, string> = {};
    let installed: string | null = null;
    let holds = true;
    try {
      for (const guide of followed) {
        const began = performance.now();
        const failure = await follow(guide, parent, installed).then(
          () => null,
          (error: Error) => error.message,
        );
        const seconds = Math.round((performance.now() - began) / 1000);
        figures[guide.name] = `${failure === null ? 'runs' : 'FAILS'} (${seconds} s)`;
        log(`${guide.name}: ${failure ?? figures[guide.name]}`);
        holds &&= failure === null;
        // Without the packages that the first page installs, no other can begin.
        if (installed === null && failure !== null) break;
        installed ??= join(parent, guide.name, 'gatehouse/node_modules');
      }
    } finally {
      rmSync(parent, { recursive: true, force: true });
    }
    return { figures, holds };
  },
};

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { followProduction } from '../../guides/production.ts';
import type { Drill } from '../drill.ts';

/** G2: what "Go to production" says, with nginx and Caddy of this machine or of Debian. */
export const drill: Drill = {
  id: 'G2',
  title: 'the settings, the unit, and the proxies of "Go to production" do what the page says',
  rounds: 1,
  quickRounds: null,
  run: async ({ log }) => {
    const folder = mkdtempSync(join(tmpdir(), 'gatehouse-production-'));
    try {
      await followProduction(folder, log);
      return { figures: {}, holds: true };
    } catch (error) {
      log(error instanceof Error ? (error.stack ?? error.message) : String(error));
      return { figures: {}, holds: false };
    } finally {
      rmSync(folder, { recursive: true });
    }
  },
};

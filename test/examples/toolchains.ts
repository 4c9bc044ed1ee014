/** The examples of resource servers that need a toolchain of their own, and how a copy of one is made ready. */

import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isThere, run } from '../../scripts/conformance/toolchain.ts';
import type { Program } from './resource-cases.ts';

const sources = fileURLToPath(new URL('../../examples', import.meta.url));

export interface Example {
  /** The name of its folder. */
  readonly name: string;
  /** The command that it needs. */
  readonly needs: string;
  /** Fetches its packages into `folder`, and answers the command that starts it there. */
  readonly prepare: (folder: string) => Promise<readonly string[]>;
}

export const examples: readonly Example[] = [
  {
    name: 'fastapi',
    needs: 'python3',
    prepare: async (cwd) => {
      await run(['python3', '-m', 'venv', 'venv'], { cwd });
      await run(['venv/bin/pip', 'install', '--quiet', '--no-cache-dir', '--requirement', 'requirements.txt'], { cwd });
      return [join(cwd, 'venv/bin/python'), 'api.py'];
    },
  },
  {
    name: 'go',
    needs: 'go',
    prepare: async (cwd) => {
      const env = {
        GOPATH: join(cwd, '.go/path'),
        GOMODCACHE: join(cwd, '.go/modules'),
        GOCACHE: join(cwd, '.go/cache'),
        GOTOOLCHAIN: 'local',
        GOFLAGS: '-mod=readonly -modcacherw -buildvcs=false',
      };
      await run(['go', 'vet', './...'], { cwd, env });
      await run(['go', 'build', '-o', 'api', '.'], { cwd, env });
      return [join(cwd, 'api')];
    },
  },
];

/** What starts the example from a copy in `parent`; null: its toolchain is not there. */
export async function prepareExample({ name, needs, prepare }: Example, parent: string): Promise<Program | null> {
  if (!isThere(needs)) return null;
  const cwd = join(parent, name);
  cpSync(join(sources, name), cwd, { recursive: true });
  return { command: await prepare(cwd), cwd };
}

/** openapi-generator for Rust: one workspace, so that the crates that the clients share are built once. */

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { run } from '../conformance/toolchain.ts';
import { type Judge, packageOf } from './judge.ts';
import { generateClient, openapiGenerator } from './openapi-generator.ts';
import { cache } from './tools.ts';

function cargo(args: readonly string[], folder: string): Promise<void> {
  const env = { CARGO_HOME: join(cache, 'cargo'), CARGO_TARGET_DIR: join(cache, 'cargo-target') };
  return run(['cargo', '--quiet', ...args], { cwd: folder, env });
}

export const rust: readonly Judge[] = [
  {
    language: 'rust',
    ...openapiGenerator,
    tool: `${openapiGenerator.tool} rust`,
    needs: ['java', 'cargo'],
    ownFaults: {
      oauth2: 'A member of a form that refers to a set of values: its type is written `models::models::<Name>`.',
    },
    stages: [
      {
        word: 'generated',
        run: (contract, folder) => {
          const name = packageOf(contract.surface);
          return generateClient('rust', contract, join(folder, name), { packageName: name });
        },
      },
      {
        word: 'compiled',
        run: async ({ surface }, folder) => {
          const name = packageOf(surface);
          writeFileSync(join(folder, 'Cargo.toml'), `[workspace]\nresolver = "2"\nmembers = ["${name}"]\n`);
          await cargo(['check', '--package', name], folder);
        },
      },
    ],
  },
];

/** Parsers of YAML: each must read from the YAML what the JSON says. */

import { deepStrictEqual } from 'node:assert/strict';
import { cpSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parse } from 'yaml';
import packageJson from '../../package.json' with { type: 'json' };
import { run } from '../conformance/toolchain.ts';
import type { Judge, ServedContract } from './judge.ts';
import { goEnvironment, goTools, jar, pinnedVersion, pythonTools, snakeYamlJar } from './tools.ts';

const language = 'yaml';
const program = (name: string) => fileURLToPath(new URL(`programs/${name}`, import.meta.url));

function parser(
  tool: string,
  version: string,
  needs: readonly string[],
  read: (contract: ServedContract, folder: string) => Promise<void>,
): Judge {
  return { language, tool, version, needs, stages: [{ word: 'read', run: read }] };
}

export const yaml: readonly Judge[] = [
  parser('yaml (npm)', packageJson.dependencies.yaml, [], async ({ yaml, json }) => {
    deepStrictEqual(parse(readFileSync(yaml, 'utf8')), JSON.parse(readFileSync(json, 'utf8')));
  }),
  parser('PyYAML', pinnedVersion('python', 'PyYAML'), ['python3'], async ({ yaml, json }, folder) =>
    run([join(await pythonTools(), 'venv/bin/python'), program('read_yaml.py'), yaml, json], { cwd: folder }),
  ),
  parser('SnakeYAML', snakeYamlJar.version, ['java'], async ({ yaml, json }, folder) =>
    run(['java', '-cp', await jar(snakeYamlJar), program('ReadYaml.java'), yaml, json], { cwd: folder }),
  ),
  parser('go.yaml.in/yaml', pinnedVersion('go', 'go.yaml.in/yaml/v3'), ['go'], async ({ yaml, json }, folder) => {
    mkdirSync(join(folder, 'read'), { recursive: true });
    for (const file of ['go.mod', 'go.sum']) cpSync(join(await goTools(), file), join(folder, file));
    cpSync(program('read_yaml.go'), join(folder, 'read/main.go'));
    await run(['go', 'run', './read', yaml, json], { cwd: folder, env: goEnvironment });
  }),
];

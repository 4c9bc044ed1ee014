/**
 * Checks whether the programs that `HOOK_RUNTIMES` names can run functions: each must be a Node for which the add-on is
 * installed.
 */

import { accessSync, constants, statSync } from 'node:fs';
import type { HookRuntime } from '../domain/hooks/runner.ts';
import { type Judgement, judgeNode } from './floor.ts';
import { addOnAbis, probeNode } from './probe.ts';

/** A runtime with the judged version of its Node, or with what is wrong with it. */
type CheckedRuntime = { readonly runtime: HookRuntime } & (
  | { readonly judged: Judgement; readonly mistake: null }
  | { readonly judged: null; readonly mistake: string }
);

export function checkRuntimes(runtimes: readonly HookRuntime[]): readonly CheckedRuntime[] {
  return runtimes.map((runtime) => {
    const { name, node } = runtime;
    if (node === null) return { runtime, judged: judgeNode(process.versions.node), mistake: null };
    const found = examineProgram(node);
    if (typeof found !== 'string') return { runtime, judged: found, mistake: null };
    return { runtime, judged: null, mistake: `HOOK_RUNTIMES: ${node}, named for ${name}, ${found}` };
  });
}

function examineProgram(file: string): Judgement | string {
  if (statSync(file, { throwIfNoEntry: false })?.isFile() !== true) return 'is not a file';
  try {
    accessSync(file, constants.X_OK);
  } catch {
    return 'cannot be executed';
  }
  const found = probeNode(file);
  if (!found) return 'does not answer as Node does';
  const abis = addOnAbis();
  if (abis.includes(found.abi)) return judgeNode(found.version);
  return `is Node ${found.version} with ABI ${found.abi}; functions can run with ABI ${abis.join(' and ')}`;
}

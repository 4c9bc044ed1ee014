import type { Config } from '../config.ts';
import { packageBuilderOf } from '../create-services.ts';
import type { HookRuntime } from '../domain/hooks/runner.ts';
import { confine } from '../hook-runner/confinement.ts';
import { checkRuntimes } from '../runtime/hook-runtimes.ts';
import type { Store } from '../store/store.ts';
import { describeError } from './errors.ts';
import { degraded, type Finding, failed, off, ok } from './finding.ts';

/** Starts a hook process of each runtime as a server would, and reports its confinement. */
export async function examineHooks({ hookRuntimes }: Pick<Config, 'hookRuntimes'>): Promise<Finding[]> {
  const findings = checkRuntimes(hookRuntimes).map(({ runtime, judged, mistake }) => {
    const layer = `hook runtime ${runtime.name}`;
    if (judged === null) return failed(layer, mistake, 'name another program in HOOK_RUNTIMES, or leave it out');
    const detail = `${runtime.node ?? 'the Node of the service'}, ${judged.version}`;
    if (judged.reason === null || judged.remedy === null) return ok(layer, detail);
    return degraded(layer, `${detail}, ${judged.reason}`, judged.remedy);
  });
  if (findings.some(({ status }) => status === 'failed')) return findings;
  const nodes = new Set(hookRuntimes.map(({ node }) => node));
  for (const node of nodes) findings.push(...(await examineRunner(node, hookRuntimes)));
  return findings;
}

/** The processes of one Node program; with its path if there are others. */
async function examineRunner(node: string | null, runtimes: readonly HookRuntime[]): Promise<Finding[]> {
  const of = node === null || runtimes.every((one) => one.node === node) ? '' : ` of ${node}`;
  try {
    const { layers } = await confine(node);
    return [
      ok(`hook runner${of}`, 'starts processes for hook functions'),
      ...layers.map(({ name, state, remedy }) => {
        const layer = `hooks${of}: ${name}`;
        return state === 'ok' ? ok(layer, 'on') : off(layer, 'not available here', remedy);
      }),
    ];
  } catch (error) {
    const remedy = 'correct what the message names; hooks fail until then';
    return [failed(`hook runner${of}`, describeError(error).message, remedy)];
  }
}

/** Stored hooks whose runtime is not in the configured list. */
export async function examineStoredRuntimes(
  { hookRuntimes }: Pick<Config, 'hookRuntimes'>,
  store: Store,
): Promise<Finding[]> {
  const offered = hookRuntimes.map(({ name }) => name);
  const strange = (await store.hooks.countRuntimes()).filter(({ runtime }) => !offered.includes(runtime));
  return strange.map(({ runtime, hooks }) =>
    degraded(
      `hook runtime ${runtime}`,
      `not offered here, but used by ${hooks} ${hooks === 1 ? 'hook, which fails' : 'hooks, which fail'} at every run`,
      'add it to HOOK_RUNTIMES, or change the hooks to another runtime',
    ),
  );
}

/** Starts the two processes of a build as a server would, and reports their confinement. */
export async function examinePackages(config: Pick<Config, 'npmRegistry' | 'hookPackages'>): Promise<Finding[]> {
  const layer = 'packages of hooks';
  const builder = packageBuilderOf(config);
  if (!builder) return [off(layer, 'switched off by NPM_REGISTRY=none', null)];
  const { state, reason, remedy, layers } = await builder.walls();
  if (state === 'confined') return [ok(layer, 'built in two confined processes')];
  if (state === 'refused') return [off(layer, `refused: ${reason}`, remedy)];
  const without = layers.flatMap(({ name, state: is }) => (is === 'off' ? [name] : [])).join(', ');
  return [
    degraded(layer, `built in processes that lack: ${without}`, 'unset HOOK_PACKAGES once the system provides these'),
  ];
}

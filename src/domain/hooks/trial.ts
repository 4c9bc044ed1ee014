/** Trials: a function that no hook has yet is run with a given context, without effect. */

import type { Services } from '../../services.ts';
import type { PackageBuildRecord } from '../../store/package-builds.ts';
import type { Account } from '../accounts/account.ts';
import { findLinked, type HookInput, readHook } from './definition.ts';
import { maskingOf } from './log-lines.ts';
import { type RunServices, runDraft, unavailable } from './one-run.ts';
import { sourceOf } from './source.ts';
import { takeRun } from './take-run.ts';
import { describeRun, emptyRun, type TestRun } from './test-run.ts';
import { invalid } from './values.ts';
import { openVariables } from './variables.ts';

type Packages = PackageBuildRecord['packages'];

/**
 * Runs it once in a process for drafts, and counts it towards the account's runs. Throws `value_invalid` for an invalid
 * member, an unknown variable, and packages that were not built for a version which the account still has.
 */
export async function tryFunction(
  services: RunServices & Pick<Services, 'hookRuntimes'>,
  account: Account,
  input: HookInput,
  context: Readonly<Record<string, unknown>>,
): Promise<TestRun> {
  const { definition, envVars } = await readHook(services, account, input);
  const linked = await findLinked(services.store, account, envVars);
  const packages = await findBuilt(services, account, definition.packages);
  if (definition.function === '') return emptyRun;
  const variables = openVariables(services, account, linked);
  const { type, runtime, timeoutSeconds } = definition;
  const stored = { hook: { type }, definition: { runtime, timeoutSeconds } };
  const runnable = { stored, source: sourceOf(definition.function), packages, variables };
  const mayRun = await takeRun(services, account, type);
  const result = mayRun ? await runDraft(services, account, runnable, context) : unavailable;
  return describeRun(services, account, { stored, masking: maskingOf(Object.values(variables)) }, result);
}

/** The script of these packages, as it was built for a version; null without packages. */
async function findBuilt(
  { store, packageBuilds }: RunServices,
  account: Account,
  packages: Packages,
): Promise<string | null> {
  if (Object.keys(packages).length === 0) return null;
  const built = (await store.packageBuilds.listReady(account.id)).find((one) => isSame(one.packages, packages));
  const script = built && (await packageBuilds.read(account.id, built.id));
  if (script) return script;
  throw invalid('packages', 'must be those of a version whose packages are built; write them to a disabled hook first');
}

function isSame(some: Packages, others: Packages): boolean {
  const names = Object.keys(some);
  return names.length === Object.keys(others).length && names.every((name) => some[name] === others[name]);
}

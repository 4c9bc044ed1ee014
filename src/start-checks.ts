/** What a server looks at before it opens the database: files that settings name, and settings that are probably not meant so. */

import { createGeoIp } from './adapters/geoip.ts';
import { modeOpenToOthers } from './adapters/private-file.ts';
import { type Config, ConfigMistakes } from './config.ts';
import type { HookRunner } from './domain/hooks/runner.ts';
import { programFile } from './programs/programs.ts';
import { judgeNode } from './runtime/floor.ts';
import { checkRuntimes } from './runtime/hook-runtimes.ts';
import type { Log } from './services.ts';
import { sqliteFileOf } from './store/database-url.ts';

/**
 * Throws `ConfigMistakes` for a program that cannot run hook functions, and for a file of countries that cannot be
 * opened: without it every rule of a hook about countries would be decided as for an unknown one. Reports Node versions
 * that are not known to be sound.
 */
export async function checkFiles({ hookRuntimes, geoipDatabase }: Config, log: Log): Promise<void> {
  const checked = checkRuntimes(hookRuntimes);
  const mistakes = checked.flatMap(({ mistake }) => mistake ?? []);
  if (geoipDatabase !== null) {
    const { reason } = await createGeoIp(geoipDatabase, log).examine();
    if (reason !== null) mistakes.push(`GEOIP_DATABASE names ${geoipDatabase}, which cannot be opened: ${reason}`);
  }
  if (mistakes.length > 0) throw new ConfigMistakes(mistakes);
  const own = judgeNode(process.versions.node);
  const others = checked.flatMap(({ runtime, judged }) => (runtime.node === null || !judged ? [] : judged));
  for (const { version, reason } of new Map([own, ...others].map((one) => [one.version, one])).values()) {
    if (reason !== null) log.warn('node not known to be sound', { version, reason });
  }
}

/** In words for `doctor` too; null when proxies are named, or none is needed. */
export function doubtProxy({ addresses, trustProxy }: Pick<Config, 'addresses' | 'trustProxy'>): string | null {
  if (addresses.publicScheme !== 'https' || trustProxy.length > 0) return null;
  return 'none: every caller appears to be the proxy, so that all users share one limit';
}

/** In words for `doctor` too; null when the mode of SQLite's file, which its `-wal` and `-shm` take, is its owner's. */
export function doubtDatabaseFile({ databaseUrl }: Pick<Config, 'databaseUrl'>): string | null {
  const file = sqliteFileOf(databaseUrl);
  const mode = file === null ? null : modeOpenToOthers(file);
  return mode === null ? null : `the mode of ${file} (${mode}) lets other users of this machine open it`;
}

export function warnOfSettings(config: Config, log: Log): void {
  for (const reason of config.warnings) log.warn('settings', { reason });
  const open = doubtDatabaseFile(config);
  if (open !== null) log.warn('settings', { reason: `${open}; set it to 0600, and that of its -wal and -shm files` });
  const shared = doubtProxy(config);
  if (shared !== null) log.warn('settings', { reason: `TRUST_PROXY is ${shared}; set it to the address of the proxy` });
}

/** Done before anybody waits for a response: it may take a second if this version was never started. */
export function prepareHooks(log: Log): void {
  try {
    programFile('hook-process');
  } catch (error) {
    log.warn('hooks cannot run', { reason: (error as Error).message });
  }
}

/** Says so in the log when no process for hook functions can be started. */
export function reportHooks(runner: HookRunner & { readonly probed: Promise<void> }, log: Log): HookRunner {
  void runner.probed.then(() => {
    const { reason } = runner.health();
    if (reason !== null) log.warn('hooks cannot run', { reason });
  });
  return runner;
}

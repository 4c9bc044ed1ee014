/** What the author of a function may do about a run that failed. */

import { isBuiltin } from 'node:module';
import type { HookEnding, HookError, HookRunResult } from '../domain/hooks/runner.ts';
import { longestTimeoutSeconds } from '../domain/hooks/values.ts';
import type { HookType } from '../store/hooks.ts';

/** By what was thrown; the first that matches. */
const thrown: readonly (readonly [message: RegExp, hint: (name: string) => string])[] = [
  [/^Cannot find module '([^']+)'$/, hintOnModule],
  [
    /^fetch failed: forbidden$/,
    () => 'HOOK_EGRESS says where fetch may go: by default to public addresses, by https on port 443',
  ],
  [/^fetch failed: unreachable$/, () => 'check the name, the certificate, and that it answers from this machine'],
  [/^Invalid URL$/, () => 'give the whole URL, with https:// and the host'],
  [/^fetch failed: invalid_request$/, () => 'give fetch a whole URL without credentials, and a GET no body'],
  [/^callback is not a function$/, () => 'a handler gets the context alone: return the answer'],
];

export function hintsOn({ ending, error }: Pick<HookRunResult, 'ending' | 'error'>, type: HookType): string[] {
  const hint = error === null ? byEnding(ending, type) : byError(error);
  return hint === null ? [] : [hint];
}

function byEnding(ending: HookEnding, type: HookType): string | null {
  if (ending === 'timeout') {
    return `a ${type} function has ${longestTimeoutSeconds[type]} s: look for a loop without an end, or a promise that is slow or never settles`;
  }
  if (ending === 'out_of_memory') return 'the function needed too much memory: keep less at a time';
  if (ending === 'unavailable') return 'gatehouse doctor says why functions cannot run here';
  return null;
}

function byError({ message }: HookError): string | null {
  for (const [pattern, hint] of thrown) {
    const [whole, name = ''] = pattern.exec(message) ?? [];
    if (whole !== undefined) return hint(name);
  }
  return null;
}

function hintOnModule(name: string): string {
  if (isBuiltin(name)) return `functions do not have Node's ${name}`;
  if (/^[./]/.test(name)) return 'a function is one file: put the code into it';
  return `to require a package, add --package ${name}@<version>, and name it in packages of the hook`;
}

import { Failure } from '../failure.ts';

export const hookTypes = ['pre-authentication', 'user-migration'] as const;

export const mostHooks = 100;
export const longestFunction = 20_000;
export const mostRetries = 4;
export const mostConditions = 10;
export const mostPackages = 20;
export const mostEnvVars = 100;

/** Maximum run time of a function in whole seconds, by type (the document's §8). */
export const longestTimeoutSeconds = { 'pre-authentication': 1, 'user-migration': 10 } as const;

export function invalid(name: string, rule: string): Failure {
  return new Failure('value_invalid', { name, message: `${name} ${rule}` });
}

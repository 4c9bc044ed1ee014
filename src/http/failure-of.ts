import { Failure, type FailureCode } from '../domain/failure.ts';
import { inPlainWords } from './plain-words.ts';
import type { RequestState } from './request-state.ts';

/**
 * The code for a member that violates the contract, given the operation, the member's JSON pointer, and the keyword of
 * the schema that it violates (`type`, `maxItems`).
 */
export type InvalidCode = (operationId: string, pointer: string, keyword: string) => FailureCode;

/**
 * What the validator throws. Its pointers begin with the place (`/body/redirect_uris/0`, `/query/state`), its codes
 * with the keyword (`maxItems.openapi.validation`).
 */
interface ValidationError {
  readonly status: number;
  readonly errors: readonly { readonly path: string; readonly message: string; readonly errorCode?: string }[];
}

/** Converts whatever was thrown while serving a request into a `Failure`. */
export function failureOf(error: unknown, state: RequestState, invalid: InvalidCode | undefined): Failure {
  if (error instanceof Failure) return error;
  if (!isValidationError(error)) return new Failure('internal', {}, { cause: error });
  if (error.status === 401 || error.status === 403) {
    return state.callerFailure ?? new Failure('caller_unauthenticated');
  }
  const [first] = error.errors;
  if (error.status !== 400 || !first) return new Failure('internal', {}, { cause: error });
  const pointer = first.path;
  const name = nameAt(pointer, state.operation?.kinds.headers ?? []) || 'the body';
  const [keyword = ''] = (first.errorCode ?? '').split('.', 1);
  const code = invalid?.(state.operation?.operationId ?? '', pointer, keyword) ?? 'request_invalid';
  return new Failure(code, { name, message: `${name} ${inPlainWords(first.message)}` });
}

/** Of a header as its contract writes it: the validator sees `if-match`. */
function nameAt(pointer: string, headers: readonly string[]): string {
  const name = pointer.replace(/^\/(body|query|params|headers)\/?/, '').replaceAll('/', '.');
  return (pointer.startsWith('/headers/') && headers.find((one) => one.toLowerCase() === name)) || name;
}

function isValidationError(error: unknown): error is ValidationError {
  return error instanceof Error && 'status' in error && 'errors' in error;
}

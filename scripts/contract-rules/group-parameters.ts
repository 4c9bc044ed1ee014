/**
 * Marks the operations with parameters that may be left out, for generators of clients. openapi-generator writes their
 * calls by position for Java, PHP and Rust otherwise: `listUsers` would have 32 arguments, and a new parameter would
 * break every call that is compiled with it.
 */

import { listOf, operationsOf, targetOf } from './rule.ts';
import { isObject, type Node } from './schemas-of.ts';

const formType = 'application/x-www-form-urlencoded';

/** A copy of a bundled contract in which those operations have `x-group-parameters: true`. */
export function groupParameters<Contract extends object>(contract: Contract): Contract {
  const copy = structuredClone(contract);
  const written = copy as unknown as Node;
  for (const { operation, at } of operationsOf(written)) {
    const item = (written['paths'] as Record<string, Node>)[at[1] ?? ''] ?? {};
    const parameters = [...listOf(item['parameters']), ...listOf(operation['parameters'])].filter(isObject);
    const isOptional = (parameter: Node) => targetOf(written, parameter)['required'] !== true;
    if (parameters.some(isOptional) || hasOptionalBody(written, operation)) {
      Object.assign(operation, { 'x-group-parameters': true });
    }
  }
  return copy;
}

/** Whether the body may be left out, or a member of a form; of several media types, generators take the first. */
function hasOptionalBody(contract: Node, { requestBody }: Node): boolean {
  if (!isObject(requestBody)) return false;
  const body = targetOf(contract, requestBody);
  if (body['required'] !== true) return true;
  const [[type, media] = []] = Object.entries((body['content'] ?? {}) as Record<string, { readonly schema?: Node }>);
  if (type !== formType) return false;
  const { properties = {}, required } = targetOf(contract, media?.schema ?? {});
  return Object.keys(properties as Node).some((name) => !listOf(required).includes(name));
}

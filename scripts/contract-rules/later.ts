/** The rule of the keywords that operations check themselves. */

import { checkedLater, laterKeywords, laterReasons, targetOf } from '../../src/http/checked-later.ts';
import type { Finding } from './rule.ts';
import { isObject, type Node } from './schemas-of.ts';

export interface LaterCheck {
  /** Steps to the schema or the parameter from the root of the contract. */
  readonly at: readonly string[];
  readonly keyword: string;
  readonly reason: unknown;
  /** Whether there is such a keyword. */
  readonly isWritten: boolean;
}

/** Every keyword of the contract that an operation checks itself, in the order of the contract. */
export function laterChecksOf(contract: Node): LaterCheck[] {
  return checksIn(contract, [], contract);
}

function checksIn(value: unknown, at: readonly string[], contract: Node): LaterCheck[] {
  if (typeof value !== 'object' || value === null) return [];
  const node = value as Node;
  const later = (isObject(value) && value[checkedLater]) || {};
  const { $ref } = node;
  const target = typeof $ref === 'string' ? targetOf($ref, contract) : {};
  const here = Object.entries(later).map(([keyword, reason]) => {
    return { at, keyword, reason, isWritten: keyword in node || keyword in target };
  });
  return [...here, ...Object.entries(node).flatMap(([key, item]) => checksIn(item, [...at, key], contract))];
}

/** Why the extension cannot say this; null where it can. */
function whyNot({ keyword, reason, isWritten }: LaterCheck): string | null {
  if (!laterKeywords.includes(keyword)) return `Operations check only ${laterKeywords.join(', ')} themselves.`;
  if (!laterReasons.includes(String(reason))) return `Say why: ${laterReasons.join(', ')}.`;
  return isWritten ? null : `There is no \`${keyword}\` that could be checked later.`;
}

export function laterChecks(contract: Node): Finding[] {
  return laterChecksOf(contract).flatMap((check) => {
    const message = whyNot(check);
    return message === null ? [] : [{ at: [...check.at, checkedLater], message }];
  });
}

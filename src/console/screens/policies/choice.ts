import type { Schemas } from '../../api/contract.ts';
import type { FieldShape } from '../../parts/field.tsx';

/** The choice of a policy for what need not have one. */
export function policyChoice(policies: readonly Pick<Schemas['Policy'], 'id' | 'name'>[], help?: string): FieldShape {
  return {
    name: 'policy_id',
    label: 'Policy',
    kind: 'choice',
    options: [[null, 'None of its own'] as const, ...policies.map(({ id, name }) => [id, name] as const)],
    ...(help !== undefined && { help }),
  };
}

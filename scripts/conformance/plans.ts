/** The FAPI 2.0 plans of the suite, with the variants that an account can be certified for. */

const plans = {
  fapi: { name: 'fapi2-security-profile-final-test-plan', title: 'Security Profile' },
  signing: { name: 'fapi2-message-signing-final-test-plan', title: 'Message Signing' },
} as const;

/** How clients authenticate, and what their tokens are bound to, in words of the suite. */
const ways = {
  dpop: { client_auth_type: 'private_key_jwt', sender_constrain: 'dpop' },
  mtls: { client_auth_type: 'mtls', sender_constrain: 'mtls' },
  key_mtls: { client_auth_type: 'private_key_jwt', sender_constrain: 'mtls' },
} as const;

const algorithms = ['PS256', 'ES256'] as const;

export interface FapiPlan {
  /** Of its configuration. */
  readonly id: string;
  /** Of the plan, for people. */
  readonly title: string;
  readonly plan: string;
  readonly alg: (typeof algorithms)[number];
  /** Whether its clients sign their requests, and send no others. */
  readonly signs: boolean;
  readonly variants: (typeof ways)[keyof typeof ways];
}

export function usesCertificates({ variants }: Pick<FapiPlan, 'variants'>): boolean {
  return variants.sender_constrain === 'mtls';
}

/** All of them; those with certificates only for an account that counts these. */
export function fapiPlans(hasMutualTls: boolean): readonly FapiPlan[] {
  const all = Object.entries(ways).flatMap(([way, variants]) =>
    Object.entries(plans).flatMap(([kind, { name: plan, title }]) =>
      algorithms.map((alg) => {
        const id = [kind, ...(way === 'dpop' ? [] : [way]), alg.toLowerCase()].join('_');
        return { id, title: `FAPI 2.0 ${title}, ${alg}`, plan, alg, signs: kind === 'signing', variants };
      }),
    ),
  );
  return all.filter((plan) => hasMutualTls || !usesCertificates(plan));
}

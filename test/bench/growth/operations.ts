/** Every operation of every contract, and the requests by which it is measured. */

import type { operations as Api1 } from '../../../generated/api-1.ts';
import type { operations as Api2 } from '../../../generated/api-2.ts';
import type { operations as ApiV1 } from '../../../generated/api-v1.ts';
import type { operations as ApiV3 } from '../../../generated/api-v3.ts';
import type { operations as Auth2 } from '../../../generated/auth-2.ts';
import type { operations as OAuth2 } from '../../../generated/oauth2.ts';
import type { operations as Oidc2 } from '../../../generated/oidc-2.ts';
import type { operations as Pages } from '../../../generated/pages.ts';
import type { operations as Xml } from '../../../generated/xml.ts';
import { contracts } from '../../support/conforms.ts';
import type { Prepare, RequestsOf, Variant, Variants } from './caller.ts';
import { accessRequests } from './requests-access.ts';
import {
  administratorRequests,
  callerRequests,
  eventRequests,
  factorRequests,
  hookRequests,
  policyRequests,
  serverRequests,
  settingRequests,
  usageRequests,
} from './requests-account.ts';
import { credentialRequests, deprecatedRequests, documentedRequests, xmlRequests } from './requests-doors.ts';
import { standardRequests } from './requests-oauth2.ts';
import { pageRequests } from './requests-pages.ts';
import { signInRequests } from './requests-sign-ins.ts';
import { userRequests } from './requests-users.ts';

interface Surfaces {
  readonly 'api-2': RequestsOf<Api2>;
  readonly 'auth-2': RequestsOf<Auth2>;
  readonly 'oidc-2': RequestsOf<Oidc2>;
  readonly oauth2: RequestsOf<OAuth2>;
  readonly pages: RequestsOf<Pages>;
  readonly 'api-1': RequestsOf<Api1>;
  readonly 'api-v1': RequestsOf<ApiV1>;
  readonly 'api-v3': RequestsOf<ApiV3>;
  readonly xml: RequestsOf<Xml>;
}

const requests: Surfaces = {
  'api-2': {
    ...userRequests,
    ...signInRequests,
    ...accessRequests,
    ...policyRequests,
    ...factorRequests,
    ...serverRequests,
    ...callerRequests,
    ...administratorRequests,
    ...hookRequests,
    ...eventRequests,
    ...settingRequests,
    ...usageRequests,
  },
  'auth-2': credentialRequests,
  'oidc-2': documentedRequests,
  oauth2: standardRequests,
  pages: pageRequests,
  ...deprecatedRequests,
  xml: xmlRequests,
};

/** One way to use an operation. */
export interface Use extends Variant {
  /** `api-2 listUsers: by cursor` */
  readonly name: string;
  /** What is judged together: a surface, several of them, or what the paths of one begin with. */
  readonly group: string;
  readonly surface: string;
  readonly operation: string;
  readonly method: string;
}

function usesOf(variants: Variants): [string, Variant][] {
  const variantOf = (one: Prepare | Variant): Variant => (typeof one === 'function' ? { prepare: one } : one);
  if (typeof variants === 'function') return [['', { prepare: variants }]];
  if (typeof variants['prepare'] === 'function') return [['', variants as Variant]];
  return Object.entries(variants).map(([name, one]) => [name, variantOf(one)]);
}

/** `/api/2/users/{id}` is of `api-2 users`; surfaces of a few operations are measured together. */
function groupOf(surface: string, path: string): string {
  if (surface === 'api-2') return `${surface} ${path.split('/')[3]}`;
  return surface === 'oauth2' || surface === 'pages' ? surface : 'other surfaces';
}

const methods = ['get', 'post', 'put', 'delete'];

/** Throws when a contract has an operation that no request is known of. */
export function allUses(): Use[] {
  return [...contracts].flatMap(([surface, { contract }]) => {
    const known: Readonly<Record<string, Variants>> = requests[surface as keyof Surfaces];
    return Object.entries(contract.paths).flatMap(([path, item]) =>
      methods.flatMap((method) => {
        const operation = (item[method] as { readonly operationId: string } | undefined)?.operationId;
        if (operation === undefined) return [];
        const variants = known[operation];
        if (variants === undefined) throw new Error(`no request is known of ${surface} ${operation}`);
        return usesOf(variants).map(([name, variant]) => ({
          ...variant,
          name: `${surface} ${operation}${name && `: ${name}`}`,
          group: groupOf(surface, path),
          surface,
          operation,
          method: method.toUpperCase(),
        }));
      }),
    );
  });
}

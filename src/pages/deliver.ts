import type { Account } from '../domain/accounts/account.ts';
import type { ClientAnswer } from '../domain/login/redirect.ts';
import { pageHeaders } from './failure-page.ts';
import { backPage } from './views.ts';

/** The address that the browser is redirected to, or body and headers of the page that leads to the client. */
export type Delivery =
  | { readonly location: string }
  | { readonly page: readonly [body: string, headers: Readonly<Record<string, string>>] };

/** The response of an operation that ends at a client. */
export function deliver({ name: accountName }: Account, answer: ClientAnswer): Delivery {
  const { by, byHand = false } = answer;
  if (by === 'redirect' && !byHand) return { location: answer.location };
  const headers = by === 'redirect' ? pageHeaders() : pageHeaders({ redirectUri: answer.action, script: !byHand });
  return { page: [backPage({ accountName, answer }), headers] };
}

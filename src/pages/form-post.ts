import type { Account } from '../domain/accounts/account.ts';
import type { ClientAnswer } from '../domain/login/redirect.ts';
import { pageHeaders } from './failure-page.ts';
import { formPostPage } from './form-post-page.ts';

/** Body and headers of the page that delivers a response to a client. */
export type FormPost = readonly [body: string, headers: Readonly<Record<string, string>>];

/** The response of an operation that ends at a client by a form. */
export function formPost(account: Account, answer: Extract<ClientAnswer, { readonly by: 'form_post' }>): FormPost {
  const { action, members } = answer;
  const headers = pageHeaders({ redirectUri: action, script: true });
  return [formPostPage({ accountName: account.name, action, members }), headers];
}

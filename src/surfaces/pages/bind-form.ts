import { csrfToken } from '../../domain/login/authorization-request.ts';
import { newBrowserSecret } from '../../domain/login/sessions.ts';
import type { Origin } from '../../http/operation.ts';
import { browserState, setCookie } from '../../pages/cookies.ts';
import { pageHeaders } from '../../pages/failure-page.ts';
import type { Services } from '../../services.ts';

interface BoundForm {
  /** The form's `csrf` field. */
  readonly csrf: string;
  /** The headers of its page. */
  readonly headers: Readonly<Record<string, string>>;
}

/** Binds a form that is not part of a sign-in to the browser, which gets a secret if it has none. */
export function bindForm(
  { random }: Pick<Services, 'random'>,
  { account, cookies }: Pick<Origin, 'account' | 'cookies'>,
  form: string,
): BoundForm {
  const present = browserState(account, cookies, form).browserSecret;
  const secret = newBrowserSecret(random, present);
  const cookie = secret !== present && { 'set-cookie': setCookie(account, 'tx', secret) };
  return { csrf: csrfToken(secret, form), headers: { ...pageHeaders(), ...cookie } };
}

/** Refusals that did not happen, for what explains them. */

import { randomUUID } from 'node:crypto';
import type { Cause } from '../../src/domain/refusals/refusals.ts';
import type { TestApp } from './app.ts';

/** Keeps one, as a page that refuses does: without a limit by the hour. Answers its reference. */
export async function keepRefusal(
  { services, account }: Pick<TestApp, 'services' | 'account'>,
  given: Partial<Cause> = {},
): Promise<string> {
  const requestId = randomUUID();
  const at = services.clock.now();
  const cause: Cause = {
    ...{ code: 'authorization_request_invalid', operation: 'authorize', reason: 'client_unknown', name: 'client_id' },
    ...{ appId: null, clientId: 'nobody', address: null },
    ...given,
  };
  const detail = JSON.stringify(cause);
  const source = '192.0.2.1';
  const expiresAt = at + 86_400_000;
  await services.store.refusals.add([{ accountId: account.id, requestId, at, source, detail, expiresAt }]);
  return requestId;
}

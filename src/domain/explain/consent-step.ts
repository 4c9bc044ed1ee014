/** Whether a user would be asked for consent. */

import type { AuthorizationParameters } from '../../store/authorization-parameters.ts';
import { needsConsent } from '../login/consent.ts';
import { isOwnPages } from '../login/own-pages.ts';
import { unansweredRequest } from '../login/sealed-request.ts';
import { serversOf } from '../tokens/audience.ts';
import { findEvents } from '../why/story.ts';
import { notReached } from './later-steps.ts';
import { asks, type ExplainServices, type Known, named, namedApp, passes, type Step } from './steps.ts';

/** Whether the user would be asked for consent. Null where none is needed. */
export async function consentStep(
  services: ExplainServices,
  { account, user, client, question }: Known,
  parameters: AuthorizationParameters | null,
): Promise<Step | null> {
  if (isOwnPages(client) || !['password', 'passkey', 'sso', 'device'].includes(question.method)) return null;
  if (parameters === null) return notReached('consent');
  const now = services.clock.now();
  const device = question.method === 'device' ? { device: { digest: '', sealedUserCode: '' } } : {};
  const asked = {
    browserDigest: '',
    appId: client.appId,
    parameters: { ...parameters, ...device },
    createdAt: now,
    expiresAt: now,
  };
  const record = unansweredRequest(account, '', asked);
  const servers = () => serversOf(services, client, parameters);
  if (!(await needsConsent(services, account, { record, client }, user, servers))) {
    return passes('consent', 'consent_given', `${named(user)} has allowed ${namedApp(client)} this before.`);
  }
  if (question.method === 'device') {
    return asks('consent', 'consent_each_time', 'For a device consent is asked for each time.');
  }
  const at = await findWithdrawal(services, { account, user, client });
  if (at === null) return asks('consent', 'consent_needed', `${named(user)} is asked what ${namedApp(client)} may do.`);
  const message = `The consent was withdrawn on ${new Date(at).toISOString()}: ${named(user)} is asked again.`;
  return asks('consent', 'consent_withdrawn', message);
}

/** When the consent was withdrawn last, if it was not given since. */
async function findWithdrawal(
  services: ExplainServices,
  { account, user, client }: Pick<Known, 'account' | 'user' | 'client'>,
): Promise<number | null> {
  const given = await services.store.authorizations.findConsent(account.id, user.id, client.appId);
  if (given !== null) return null;
  const withdrawn = await findEvents(services, account, [
    { field: 'app_id', test: 'is', values: [client.appId] },
    { field: 'action', test: 'is', values: ['consent.withdrawn'] },
  ]);
  const last = withdrawn.find(({ detail }) => (detail as { readonly user_id?: number }).user_id === user.id);
  return last?.at ?? null;
}

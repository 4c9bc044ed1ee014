/**
 * Why a user would be signed in or not: the decisions of a sign-in, made by the functions that a sign-in uses, without
 * any effect. A hook runs, and is told that nobody signs in.
 */

import { userStatuses } from '../../store/users.ts';
import type { Account } from '../accounts/account.ts';
import { needsSignIn } from '../login/current-step.ts';
import { lacksSecondFactor } from '../login/due.ts';
import { unansweredRequest } from '../login/sealed-request.ts';
import { listSessions } from '../own-account/sessions.ts';
import { effectivePolicy } from '../policies/effective-policy.ts';
import { requireUserId } from '../users/users.ts';
import { checkRequestStep, clockStep, findClientStep } from './client-steps.ts';
import { consentStep } from './consent-step.ts';
import { closedFactorStep, dueSteps, hooksStep, notReached, policyStep } from './later-steps.ts';
import {
  asks,
  conclude,
  type ExplainServices,
  type Explanation,
  isRefused,
  type Known,
  named,
  namedApp,
  passes,
  type Question,
  refuses,
  type Step,
} from './steps.ts';
import { accessStep, attemptsStep, credentialStep, userStep } from './user-steps.ts';

/** Throws `not_found` without the user. */
export async function explainSignIn(
  services: ExplainServices,
  account: Account,
  userId: number,
  question: Question,
): Promise<Explanation> {
  const user = await requireUserId(services.store, account, userId);
  const found = await findClientStep(services, account, question);
  const { client } = found;
  if (!client) return conclude([found.step]);
  const known: Known = { account, user, client, question };
  const isRefresh = question.method === 'refresh';
  const request = isRefresh ? null : await checkRequestStep(services, known);
  const before = [
    found.step,
    request?.step ?? null,
    clockStep(services, known),
    await attemptsStep(services, known),
    await credentialStep(services, known),
    userStep(known),
    await accessStep(services, known),
  ].filter((step) => step !== null);
  if (isRefresh) return conclude([...before, await grantStep(services, known)]);
  const parameters = request?.parameters ?? null;
  if (question.method === 'sso') {
    const session = await sessionSteps(services, known, parameters);
    const rest = [await policyStep(services, known, null), await consentStep(services, known, parameters)];
    return conclude([...before, ...session, ...rest.filter((step) => step !== null)]);
  }
  const hooks = isRefused(before) ? { step: notReached('hooks'), chosen: null } : await hooksStep(services, known);
  const way = {
    client,
    hookPolicyId: hooks.chosen?.id ?? null,
    wantsSecondFactor: parameters?.secondFactor === true,
    serverId: parameters?.serverId ?? null,
  };
  const after = [
    hooks.step,
    await policyStep(services, known, hooks.chosen),
    ...(await dueSteps(services, known, way)),
    await consentStep(services, known, parameters),
  ].filter((step) => step !== null);
  return conclude([...before, ...after]);
}

/** Whether one of the user's sessions is enough for the app. */
async function sessionSteps(
  services: ExplainServices,
  known: Known,
  parameters: NonNullable<Awaited<ReturnType<typeof checkRequestStep>>['parameters']> | null,
): Promise<readonly Step[]> {
  const { account, user, client } = known;
  if (parameters === null) return [notReached('session')];
  const [session] = await listSessions(services, account, user);
  if (!session || user.status === userStatuses.passwordExpired) {
    return [asks('session', 'no_session', `${named(user)} is signed in nowhere, and is asked to sign in.`)];
  }
  const now = services.clock.now();
  const asked = { browserDigest: '', appId: client.appId, parameters, createdAt: now, expiresAt: now };
  const request = { client, record: unansweredRequest(account, null, asked) };
  const policy = await effectivePolicy(services, account, user, client);
  if (await needsSignIn(services, request, session, async () => policy)) {
    return [asks('session', 'session_not_enough', `The newest session is too old for ${namedApp(client)}.`)];
  }
  const way = { client, hookPolicyId: null, wantsSecondFactor: parameters.secondFactor === true };
  const lacks = await lacksSecondFactor(services, account, way, user, session.amr, async () => policy);
  if (lacks) {
    const message = `The newest session lacks the second factor that ${namedApp(client)} needs.`;
    const closed = lacks === 'second_factor' ? await closedFactorStep(services, known) : null;
    return [asks('session', 'session_not_enough', message), ...(closed ? [closed] : [])];
  }
  const used = new Date(session.lastSeenAt).toISOString();
  return [passes('session', 'session_there', `The newest session was used last on ${used}.`)];
}

/** Whether there is a grant with a refresh token; which token the app holds is not known here. */
async function grantStep(services: ExplainServices, { account, user, client }: Known): Promise<Step> {
  const live = await services.store.grants.listLive(account.id, user.id, services.clock.now());
  const ofApp = live.filter((grant) => grant.appId === client.appId && grant.currentDigest !== null);
  if (ofApp.length === 0) {
    const message = `${namedApp(client)} has no live grant of ${named(user)}: it ended or expired. A new sign-in makes one.`;
    return refuses('grant', 'no_grant', message);
  }
  const message = `${namedApp(client)} has ${ofApp.length} live grants. Whether it holds their newest tokens is not known here.`;
  return passes('grant', 'grant_there', message);
}

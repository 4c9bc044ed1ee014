/** What `gatehouse doctor <resource-url>` does: the way of a client from nothing to a call with a token. */

import { openCallback } from './callback.ts';
import {
  type DoctorClient,
  deleteRegistration,
  newAuthorizationRequest,
  registerAt,
  takeToken,
  tryAuthorization,
} from './client.ts';
import { readIssuer } from './issuer.ts';
import { callResource, challengeIn, readChallenge, readResource } from './resource.ts';
import { broken, Ended, type StepName, type StepResult, shownText, stepNames } from './step.ts';

export interface Examination {
  readonly url: string;
  /** A client that is registered already. */
  readonly clientId: string | undefined;
  /** Scopes to ask for, separated by spaces; by default those that the resource names. */
  readonly scope: string | undefined;
  /** Gets the address that a person opens in a browser; undefined: nobody signs in. */
  readonly signIn: ((address: string) => unknown) | undefined;
}

const signInMilliseconds = 300_000;

/** Examines the steps in order; those behind a broken one are skipped. */
export async function examineResource(examination: Examination): Promise<readonly StepResult[]> {
  const results: StepResult[] = [];
  const take: Take = async (step, work) => {
    try {
      const [found, detail] = await work();
      results.push({ step, status: 'ok', detail: shownText(detail), remedy: null });
      return found;
    } catch (error) {
      if (error instanceof Ended) {
        results.push({ step, status: error.status, detail: error.message, remedy: error.remedy });
      }
      throw error;
    }
  };
  try {
    await walk(examination, take);
  } catch (error) {
    if (!(error instanceof Ended)) throw error;
  }
  const rest = stepNames.slice(results.length);
  return [...results, ...rest.map((step) => ({ step, status: 'skipped', detail: 'not tried', remedy: null }) as const)];
}

type Take = <Found>(step: StepName, work: () => Promise<readonly [found: Found, detail: string]>) => Promise<Found>;

async function walk({ url, clientId, scope, signIn }: Examination, take: Take): Promise<void> {
  const challenge = await take('challenge', async () => {
    const found = await readChallenge(url);
    const { resource_metadata: named } = found;
    return [found, named === undefined ? '401, without resource_metadata' : `401, resource_metadata ${named}`];
  });
  const resource = await take('resource metadata', async () => {
    const found = await readResource(url, challenge);
    return [found, `${found.resource}, tokens of ${found.issuer}`];
  });
  const issuer = await take('issuer', async () => [await readIssuer(resource.issuer), 'metadata is right, PKCE S256']);
  const callback = await openCallback();
  let client: DoctorClient | null = null;
  try {
    const { redirectUri } = callback;
    client = await take('registration', async () => {
      if (clientId !== undefined) return [{ clientId, registration: null }, `the given client ${clientId}`];
      const found = await registerAt(issuer, redirectUri);
      return [found, `registered as ${found.clientId}`];
    });
    const { clientId: id } = client;
    const wanted = { resource: resource.resource, scope: scope ?? challenge['scope'] ?? resource.scopes.join(' ') };
    const request = newAuthorizationRequest(issuer, id, callback, wanted);
    await take('authorization', async () => {
      await tryAuthorization(request);
      return [null, `a sign-in for ${wanted.scope || 'the default scope'} begins`];
    });
    const token = await take('token', async () => {
      if (!signIn)
        throw new Ended('skipped', 'a person has to sign in', 'run it again with --sign-in to go on in a browser');
      signIn(request.address);
      const answer = await callback.wait(signInMilliseconds);
      if (answer === null) throw new Ended('skipped', 'nobody signed in within 5 minutes', 'run it again');
      return [await takeToken(issuer, id, request, wanted, answer), 'a token for this resource'];
    });
    await take('call', async () => [null, await callWith(url, token)]);
  } finally {
    callback.close();
    if (client) await deleteRegistration(client);
  }
}

async function callWith(url: string, token: string): Promise<string> {
  const { status, headers } = await callResource(url, token);
  if (status === 404 || status >= 500) {
    throw broken(
      `the resource answers ${status} to the token`,
      'mend the API: it did not refuse the token, but failed',
    );
  }
  if (status !== 401 && status !== 403) return `the token is taken (${status})`;
  const { error = 'no error code', error_description: description } = challengeIn(
    headers.get('www-authenticate') ?? '',
  );
  throw broken(
    `the resource answers ${status} to the token: ${error}${description ? `, ${description}` : ''}`,
    status === 403
      ? 'ask for the scopes that the call requires: --scope'
      : 'let the resource server check issuer, audience, and keys as docs/protect-an-api.md says',
  );
}

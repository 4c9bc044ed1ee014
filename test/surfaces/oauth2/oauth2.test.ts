/** The standard door on both databases: docs/document-gaps.md, the OAuth 2 and OpenID Connect standards. */

import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { openTestApp, type TestApp } from '../../support/app.ts';
import { unseenStatuses } from '../../support/conforms.ts';
import { declareFaultCases } from '../../support/faults.ts';
import { unreadMembers } from '../../support/read-members.ts';
import { partsOn } from '../../support/sample.ts';
import { databases } from '../../support/stores.ts';
import { apiConsent } from './api-consent.ts';
import { apiEndings } from './api-endings.ts';
import { apiResources } from './api-resources.ts';
import { apiTokens } from './api-tokens.ts';
import { type AppOf, unlimited } from './asking.ts';
import { authorize } from './authorize.ts';
import { authorizeErrors } from './authorize-errors.ts';
import { authorizeState } from './authorize-state.ts';
import { bounded } from './bounded.ts';
import { certificateBound } from './certificate-bound.ts';
import { certification } from './certification.ts';
import { claimsParameter } from './claims-parameter.ts';
import { clientAssertions } from './client-assertions.ts';
import { clientAuthentication } from './client-authentication.ts';
import { cors } from './cors.ts';
import { devices } from './devices.ts';
import { discovery } from './discovery.ts';
import { documentClientDoors } from './document-client-doors.ts';
import { documentClients } from './document-clients.ts';
import { dpop } from './dpop.ts';
import { dpopProofs } from './dpop-proofs.ts';
import { dpopUse } from './dpop-use.ts';
import { endingSessions } from './end-session.ts';
import { exchange } from './exchange.ts';
import { fapi } from './fapi.ts';
import { fapiMutualTls } from './fapi-mutual-tls.ts';
import { hints } from './hints.ts';
import { hosts } from './hosts.ts';
import { idToken } from './id-token.ts';
import { implicit } from './implicit.ts';
import { implicitProfile } from './implicit-profile.ts';
import { introspection } from './introspect-token.ts';
import { isolation } from './isolation.ts';
import { keys } from './keys.ts';
import { knownClientsCases } from './known-clients.ts';
import { largeIds } from './large-ids.ts';
import { mutualTls } from './mutual-tls.ts';
import { openApiEndings } from './open-api-endings.ts';
import { openApis } from './open-apis.ts';
import { openClients } from './open-clients.ts';
import { otherGrants } from './other-grants.ts';
import { outlivedRequests } from './outlived-requests.ts';
import { ownRegistration } from './own-registration.ts';
import { pairwiseSubjects } from './pairwise.ts';
import { pkce } from './pkce.ts';
import { pollution } from './pollution.ts';
import { pushedRequests } from './pushed-requests.ts';
import { redemption } from './redeem-code.ts';
import { redirectVariants } from './redirect-variants.ts';
import { refreshing } from './refresh.ts';
import { refreshEndings } from './refresh-endings.ts';
import { registration } from './register-client.ts';
import { registrationFaults } from './register-faults.ts';
import { registrationMembers } from './registration-members.ts';
import { registrationModes } from './registration-modes.ts';
import { repeatableRegistrations } from './repeatable-registrations.ts';
import { requestObjects, requestReferences } from './request-objects.ts';
import { resourceMetadata } from './resource-metadata.ts';
import { responseModes } from './response-modes.ts';
import { revocation } from './revoke-token.ts';
import { rotatingClients } from './rotating-clients.ts';
import { routing } from './routing.ts';
import { signedAnswers } from './signed-answers.ts';
import { standardClaims } from './standard-claims.ts';
import { userinfo } from './userinfo.ts';
import { verifiedEmail } from './verified-email.ts';

const cases: Readonly<Record<string, (app: AppOf) => void>> = {
  // The first runs on PostgreSQL, too.
  revocation,
  devices,
  'proof of possession': dpop,
  'accepted proofs': dpopProofs,
  'token exchange': exchange,
  discovery,
  keys,
  cors,
  routing,
  hosts,
  registration,
  'registration faults': registrationFaults,
  'registration modes': registrationModes,
  'repeated registrations': repeatableRegistrations,
  'members of a registration': registrationMembers,
  'a registration of its own': ownRegistration,
  authorize,
  'authorize errors': authorizeErrors,
  'the state of a sign-in': authorizeState,
  'requests that outlive a registration': outlivedRequests,
  'response modes': responseModes,
  'tokens at once': implicit,
  'certification profiles': certification,
  'the implicit profile': implicitProfile,
  'pushed requests': pushedRequests,
  'request objects': requestObjects,
  'FAPI 2.0': fapi,
  'signed answers': signedAnswers,
  'hints of a user': hints,
  'claims asked for one by one': claimsParameter,
  'standard claims from attributes': standardClaims,
  'redirect variants': redirectVariants,
  'the end of a session': endingSessions,
  redemption,
  pkce,
  'client authentication': clientAuthentication,
  'assertions of clients': clientAssertions,
  'other grants': otherGrants,
  'clients that registered in the open': openClients,
  refreshing,
  'endings of a grant': refreshEndings,
  'id token': idToken,
  userinfo,
  'verified addresses': verifiedEmail,
  introspection,
  'tokens for an API': apiTokens,
  'one of several APIs': apiResources,
  'endings of tokens for an API': apiEndings,
  pollution,
  isolation,
  'the use of a proof': dpopUse,
  'what strangers make grow': bounded,
  'APIs that come while a consent waits': apiConsent,
  'APIs that any client may ask for': openApis,
  'endings of APIs that any client may ask for': openApiEndings,
  'metadata of an API': resourceMetadata,
  'clients that are known to register themselves': knownClientsCases,
};

for (const kind of databases) {
  describe(`oauth2 on ${kind}`, () => {
    const part = partsOn(kind);
    let app: TestApp;
    before(async () => {
      app = await openTestApp(kind, { settings: unlimited });
    });
    after(() => app.dispose());
    for (const [title, declare] of Object.entries(cases)) part(title, () => declare(() => app));
  });
  // Each with an application of its own. On PostgreSQL the first runs alone: rows of the others are tried in
  // test/store.
  const alone = partsOn(kind);
  alone(`request objects by reference on ${kind}`, () => requestReferences(kind));
  alone(`clients with a metadata document on ${kind}`, () => documentClients(kind));
  alone(`doors for clients with a metadata document on ${kind}`, () => documentClientDoors(kind));
  alone(`clients that rotate their keys on ${kind}`, () => rotatingClients(kind));
  alone(`mutual TLS on ${kind}`, () => mutualTls(kind));
  alone(`tokens for certificates on ${kind}`, () => certificateBound(kind));
  alone(`FAPI 2.0 with mutual TLS on ${kind}`, () => fapiMutualTls(kind));
  alone(`pairwise subjects on ${kind}`, () => pairwiseSubjects(kind));
  describe(`numbers beyond 32 bits on ${kind}`, () => largeIds(kind));
  declareFaultCases('oauth2', kind);
}

it('every documented status was seen', () => {
  assert.deepEqual(unseenStatuses('oauth2'), []);
});

it('every member of the request bodies of oauth2 was read by a handler', () => {
  assert.deepEqual(unreadMembers('oauth2'), []);
});

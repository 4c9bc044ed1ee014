/** Proofs of possession of a key (RFC 9449). */

import type { Mutant } from '../mutant.ts';

const file = 'domain/dpop/check-proof.ts';
const killedBy = 'surfaces/oauth2/dpop-proofs.ts';

export const proofs: readonly Mutant[] = [
  {
    id: 'proof-method',
    rule: 'a proof is valid for one method',
    file,
    text: "if (payload['htm'] !== request.method) throw",
    becomes: 'if (false) throw',
    killedBy,
  },
  {
    id: 'proof-address',
    rule: 'a proof is valid for one URL',
    file,
    text: "if (!isAddressIn(payload['htu'], request.urls)) throw",
    becomes: 'if (false) throw',
    killedBy,
  },
  {
    id: 'proof-age',
    rule: 'a proof is valid for five minutes',
    file,
    text: 'age > oldestSeconds || age < -aheadSeconds',
    becomes: 'age < -aheadSeconds',
    killedBy,
  },
  {
    id: 'proof-token',
    rule: 'a proof is valid for one access token',
    file,
    text: "request.accessToken !== null && payload['ath'] !== hash('sha256', request.accessToken, 'base64url')",
    becomes: 'false',
    killedBy: 'surfaces/oauth2/dpop.ts',
  },
  {
    id: 'proof-nonce',
    rule: 'a proof must contain a recent nonce',
    file,
    text: "typeof nonce !== 'string' || !isLiveNonce(services.vault, account, nonce, now)",
    becomes: "typeof nonce !== 'string'",
    killedBy,
  },
  {
    id: 'proof-used',
    rule: 'a proof can be used once',
    file,
    text: 'if (proof && !(await clients.useAssertion(proof.use))) throw proofWasUsed();',
    becomes: '',
    killedBy: 'surfaces/oauth2/dpop-use.ts',
  },
  {
    id: 'proof-in-account',
    rule: 'a proof can be used once in the account, not once at each client',
    file: 'domain/dpop/check-proof.ts',
    text: 'appId, isProof: true,',
    becomes: 'appId, isProof: false,',
    killedBy: 'surfaces/oauth2/dpop-use.ts',
  },
  {
    id: 'proof-required',
    rule: 'a client registered for bound tokens gets no others',
    file,
    text: 'if (client.extra.dpop_bound_access_tokens) throw',
    becomes: 'if (false) throw',
    killedBy: 'surfaces/oauth2/dpop.ts',
  },
  {
    id: 'proof-required-by-profile',
    rule: 'a client that FAPI 2.0 applies to gets no tokens without a proof or a certificate',
    file,
    text: 'if (followsFapi(account, client)) {',
    becomes: 'if (false) {',
    killedBy: 'surfaces/oauth2/fapi.ts',
  },
  {
    id: 'proof-key-algorithm',
    rule: 'a key that names its algorithm signs proofs with no other',
    file,
    text: 'if (isOther || !algorithmsOf(key).includes(alg)) throw',
    becomes: 'if (!algorithmsOf(key).includes(alg)) throw',
    killedBy: 'surfaces/oauth2/dpop-proofs.ts',
  },
  {
    id: 'proof-private-key',
    rule: 'a proof must contain a public key only',
    file,
    text: "['d', 'p', 'q', 'dp', 'dq', 'qi', 'oth', 'k'].some((member) => member in jwk)",
    becomes: 'false',
    killedBy,
  },
];

/**
 * Protects an API with the access tokens of Gatehouse. All it needs to know is where the service answers the API's
 * metadata (`gatehouse api set <id> resource_metadata=on`):
 *
 *     const api = await protect('https://acme.id.example.com/oauth2/resource_metadata/1');
 *     app.use(api.metadata);
 *     app.get('/orders', api.needs('orders:read'), (req, res) => res.json(ordersOf(req.token.sub)));
 *
 * JWTs are checked here (RFC 9068), by the keys that the service publishes. With `client`, the id and secret of a client
 * of the account, each token is shown to the service instead (RFC 7662), which knows of a revocation at once.
 */

import { createHash } from 'node:crypto';
import { calculateJwkThumbprint, createRemoteJWKSet, EmbeddedJWK, errors, jwtVerify } from 'jose';

const algorithms = ['RS256', 'PS256', 'ES256'];
const secondsOfProof = 60;
/** How far the clocks of clients may be off. */
const tolerance = 5;
/** Proofs that are kept at a time, some 15 MB; when there are more, new ones are refused. */
const mostProofs = 100_000;

/** What is wrong with a request, in the words of RFC 6750 §3.1. */
class Refused extends Error {
  constructor(status, error, description, scopes = []) {
    super(description);
    Object.assign(this, { status, error, scopes });
  }
}

export async function protect(metadataUrl, { client = null } = {}) {
  const metadata = await readJson(metadataUrl);
  const { resource, authorization_servers: issuers, dpop_signing_alg_values_supported: proofAlgorithms } = metadata;
  const [issuer] = issuers;
  const server = await readJson(`${issuer}/.well-known/oauth-authorization-server`);
  if (server.issuer !== issuer) throw new Error(`${issuer} says that it is ${server.issuer}`);
  const check = client ? introspection(server, resource, client) : signatures(server, resource);
  const isFirst = proofsOnce();
  const { origin, pathname } = new URL(resource);
  const wellKnown = `/.well-known/oauth-protected-resource${pathname.replace(/\/$/, '')}`;

  /** The claims of the request's token; throws `Refused`. */
  async function read(req) {
    const [, scheme = '', token = ''] = /^(\S+) +(\S+)$/.exec(req.get('authorization') ?? '') ?? [];
    const isBound = scheme.toLowerCase() === 'dpop';
    if (!isBound && scheme.toLowerCase() !== 'bearer') throw new Refused(401);
    const claims = await check(token);
    const { cnf } = claims;
    // A token that is bound to a key, or to a certificate, is worth nothing without it (RFC 9449 §7.1, RFC 8705 §3).
    if (isBound ? typeof cnf?.jkt !== 'string' : cnf !== undefined)
      throw new Refused(401, 'invalid_token', 'the scheme is not that of the token');
    if (isBound) await checkProof(req, token, cnf.jkt);
    return claims;
  }

  async function checkProof(req, token, jkt) {
    const age = { maxTokenAge: secondsOfProof, clockTolerance: tolerance };
    const options = { typ: 'dpop+jwt', algorithms: proofAlgorithms, ...age };
    const proof = await jwtVerify(req.get('dpop') ?? '', EmbeddedJWK, options).catch(() => null);
    if (proof === null) throw new Refused(401, 'invalid_dpop_proof', 'the proof is missing, invalid, or old');
    const { htm, htu, ath, jti } = proof.payload;
    const url = `${origin}${withoutQuery(req.originalUrl)}`;
    const isOfRequest = htm === req.method && withoutQuery(htu) === url && ath === hashOf(token);
    const isOfKey = (await calculateJwkThumbprint(proof.protectedHeader.jwk)) === jkt;
    if (!isOfRequest || !isOfKey || typeof jti !== 'string' || !isFirst(hashOf(`${jkt} ${jti}`))) {
      throw new Refused(401, 'invalid_dpop_proof', 'the proof is not for this request and token, or was used');
    }
  }

  function refuse(req, res, { status, error, message, scopes }) {
    const isBound = metadata.dpop_bound_access_tokens_required || /^dpop /i.test(req.get('authorization') ?? '');
    const parameters = {
      ...(error && { error, error_description: message }),
      ...(scopes.length > 0 && { scope: scopes.join(' ') }),
      resource_metadata: `${origin}${wellKnown}`,
      ...(isBound && { algs: proofAlgorithms.join(' ') }),
    };
    const told = Object.entries(parameters).map(([name, value]) => `${name}="${value}"`);
    res.set('www-authenticate', `${isBound ? 'DPoP' : 'Bearer'} ${told.join(', ')}`);
    res.status(status).json({ error: error ?? 'unauthorized', error_description: message || 'a token is needed' });
  }

  return {
    resource,
    /** Answers the metadata where clients look that know only the API's address (RFC 9728 §3.1). */
    metadata: (req, res, next) => {
      if (req.path !== wellKnown) return next();
      res.set('access-control-allow-origin', '*').json(metadata);
    },
    /** Lets a request through whose token has all these scopes; a function says which the request needs. */
    needs: (...scopes) => {
      return async (req, res, next) => {
        const needed = scopes.flatMap((scope) => (typeof scope === 'function' ? scope(req) : scope));
        try {
          const claims = await read(req);
          const granted = (claims.scope ?? '').split(' ').filter(Boolean);
          if (!needed.every((scope) => granted.includes(scope))) {
            // The client asks for these next, and is not to lose what it has.
            throw new Refused(403, 'insufficient_scope', 'more scopes are needed', [
              ...new Set([...granted, ...needed]),
            ]);
          }
          req.token = claims;
        } catch (error) {
          if (!(error instanceof Refused)) return next(error);
          if (error.status === 401) error.scopes = needed;
          return refuse(req, res, error);
        }
        next();
      };
    },
  };
}

/** Checks a JWT by itself (RFC 9068 §4). */
function signatures({ issuer, jwks_uri: address }, audience) {
  const keys = createRemoteJWKSet(new URL(address));
  const options = { issuer, audience, algorithms, typ: 'at+jwt', requiredClaims: ['exp', 'sub', 'client_id'] };
  return async (token) => {
    try {
      return (await jwtVerify(token, keys, options)).payload;
    } catch (error) {
      // Keys that cannot be read are no fault of the token.
      const isOfToken = /^ERR_(JWT|JWS|JWKS_(NO|MULTIPLE)_MATCHING|JOSE_(ALG|NOT))/.test(error.code ?? '');
      if (error instanceof errors.JOSEError && isOfToken)
        throw new Refused(401, 'invalid_token', 'the token is invalid');
      throw error;
    }
  };
}

/** Asks the service about a token (RFC 7662 §2). */
function introspection({ issuer, introspection_endpoint: address }, audience, { id, secret }) {
  const authorization = `Basic ${Buffer.from([id, secret].map(encodeURIComponent).join(':')).toString('base64')}`;
  return async (token) => {
    const claims = await readJson(address, {
      method: 'POST',
      headers: { authorization },
      body: new URLSearchParams({ token }),
    });
    const isForUs = claims.active && claims.iss === issuer && [claims.aud].flat().includes(audience);
    if (!isForUs) throw new Refused(401, 'invalid_token', 'the token is invalid');
    return claims;
  };
}

/** Whether a proof comes for the first time, as far as this process knows. */
function proofsOnce() {
  const seen = new Map();
  return (id) => {
    const now = Date.now();
    for (const [old, until] of seen) {
      if (until > now) break;
      seen.delete(old);
    }
    if (seen.has(id) || seen.size >= mostProofs) return false;
    // A proof of the near future stays good for as long as its clock was ahead.
    seen.set(id, now + (secondsOfProof + 2 * tolerance + 1) * 1000);
    return true;
  };
}

function hashOf(text) {
  return createHash('sha256').update(text).digest('base64url');
}

/** RFC 9449 §4.3: the query of an address does not count. */
function withoutQuery(address) {
  return String(address).split(/[?#]/)[0];
}

async function readJson(url, init = {}) {
  const answer = await fetch(url, { redirect: 'error', signal: AbortSignal.timeout(5000), ...init });
  if (!answer.ok) throw new Error(`${url} answers ${answer.status}`);
  return answer.json();
}

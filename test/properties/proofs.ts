/** The proofs of requests, and what can be wrong with one. */

import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { dpopToken } from '../../src/domain/callers/bearer.ts';
import { currentNonce } from '../../src/domain/dpop/nonce.ts';
import type { TestApp } from '../support/app.ts';
import { type AtConsole, callWithProof } from '../support/console.ts';
import { athOf, newProofKey, type ProofChanges, type ProofKey, proofFor } from '../support/dpop.ts';
import type { Faulty } from './apply-fault.ts';
import { pathOf } from './client.ts';
import type { Fault, ProofFaultKind } from './fault.ts';
import type { Taken } from './taken.ts';
import { encode, type Prepared, put, type Wire } from './wire.ts';

type Holder = Pick<AtConsole, 'token' | 'key'>;

/** By token: who holds it. A request can carry the token of another administrator, or of another account. */
const holders = new Map<string, Holder>();

export function knowToken(holder: Holder): void {
  holders.set(holder.token, holder);
}

/** Adds a proof of the request's token, or of `own` where it has none that is known. */
export function prover(app: TestApp, own: Holder): NonNullable<Taken['prove']> {
  return async (wire, fault) => {
    if (fault?.kind === 'proof left out') return wire;
    const { authorization } = Object.fromEntries(wire.headers);
    const holder = holders.get(dpopToken(authorization) ?? '') ?? own;
    const change = await changeFor(fault)?.({ app, holder, wire, pick: fault?.pick ?? 0 });
    const { key = holder.key, ...given } = change ?? {};
    const [path = ''] = pathOf(wire.target).split('?', 1);
    const claims = { ath: athOf(holder.token), nonce: nonceOf(app, 0), ...given.claims };
    const dpop = await proofFor(app, key, wire.method, path, { ...given, claims });
    return { ...wire, headers: [...wire.headers, ['dpop', dpop]] };
  };
}

/** The request as it is before its proof is made, and what the refusal of that must say. */
export function withProofFault(kind: ProofFaultKind, request: Prepared, { prove, live }: Taken): Faulty | null {
  if (!prove) return null;
  const refusal = { status: 401, says: said[kind] };
  if (kind !== 'bound token as a bearer') return { wire: encode(request), ...refusal };
  const authorization = live.headers?.['authorization']?.replace('DPoP', 'Bearer');
  return { wire: encode({ ...request, headers: put(request.headers, { authorization }) }), ...refusal };
}

const said: Readonly<Record<ProofFaultKind, string | null>> = {
  'proof left out': 'the DPoP proof is invalid',
  'proof for another method': 'htm',
  'proof for another address': 'htu',
  'proof for another token': 'ath',
  'proof without a live nonce': 'nonce',
  'proof of another time': 'iat',
  'proof used before': 'jti has been used before',
  'proof of another key': 'the token is bound to another key',
  'proof signed by another key': 'the signature does not match the key',
  'bound token as a bearer': null,
};

interface Proving {
  readonly app: TestApp;
  readonly holder: Holder;
  readonly wire: Wire;
  readonly pick: number;
}

interface Change extends ProofChanges {
  readonly key?: ProofKey;
}

function changeFor(fault: Fault | null) {
  const known: Readonly<Partial<Record<string, (proving: Proving) => Change | Promise<Change>>>> = changes;
  // A fault has the kind `__proto__`, too.
  return fault && Object.hasOwn(known, fault.kind) ? known[fault.kind] : undefined;
}

const anotherKey = newProofKey();

const changes = {
  'proof for another method': ({ wire: { method }, pick }) => {
    const others = ['GET', 'HEAD', 'POST', 'PUT', 'DELETE', method.toLowerCase(), '', 1, undefined];
    return {
      claims: {
        htm: among(
          others.filter((one) => one !== method),
          pick,
        ),
      },
    };
  },
  'proof for another address': ({ app: { account }, wire: { target }, pick }) => {
    const [path = ''] = pathOf(target).split('?', 1);
    const { host } = new URL(account.baseUrl);
    const others = [
      `${account.baseUrl}/api/2`,
      `${account.baseUrl}${path}/x`,
      `http://other.example${path}`,
      `ftp://${host}${path}`,
      `http://user@${host}${path}`,
      path,
      '',
      7,
      undefined,
    ];
    return { claims: { htu: among(others, pick) } };
  },
  'proof for another token': ({ holder: { token }, pick }) => {
    return { claims: { ath: among([athOf(`${token}x`), token, '', null, undefined], pick) } };
  },
  'proof without a live nonce': ({ app, pick }) => {
    return {
      claims: {
        nonce: among([nonceOf(app, 10), nonceOf(app, -10), `${nonceOf(app, 0)}x`, 'x', '', 5, undefined], pick),
      },
    };
  },
  'proof of another time': ({ app: { services }, pick }) => {
    const now = Math.floor(services.clock.now() / 1000);
    return { claims: { iat: among([now - 310, now + 120, 0, -now, now * 1000, undefined], pick) } };
  },
  'proof used before': async ({ app, holder: { token, key } }) => {
    const claims = { jti: randomUUID() };
    const { status, text } = await callWithProof(app, token, key, 'GET', '/caller', { claims });
    assert.equal(status, 200, text);
    return { claims };
  },
  'proof of another key': async () => ({ key: await anotherKey }),
  'proof signed by another key': async ({ holder: { key } }) => ({ key: await anotherKey, header: { jwk: key.jwk } }),
} satisfies { readonly [Kind in ProofFaultKind]?: (proving: Proving) => Change | Promise<Change> };

function among<Value>(values: readonly Value[], pick: number): Value | undefined {
  return values[pick % values.length];
}

/** The nonce of so many minutes ago. */
function nonceOf({ services, account }: TestApp, minutes: number): string {
  return currentNonce(services.vault, account, services.clock.now() - minutes * 60_000);
}

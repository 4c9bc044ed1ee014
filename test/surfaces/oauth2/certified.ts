/** Clients that come through a proxy with their certificates (RFC 8705, RFC 9440), for the modules that test them. */

import assert from 'node:assert/strict';
import { after, before } from 'node:test';
import type { Egress } from '../../../src/domain/egress.ts';
import { openTestApp, type TestApp } from '../../support/app.ts';
import type { TestCertificate } from '../../support/client-certificates.ts';
import { fetched } from '../../support/egress.ts';
import { type RegisteredClient, registerClient } from '../../support/sign-in.ts';
import { type AppOf, unlimited } from './asking.ts';

export const keysUri = 'https://app.example.com/jwks.json';

export interface ProxiedApp {
  /** An account behind a proxy that verifies the chains of certificates. */
  readonly app: AppOf;
  /** The certificates whose keys `keysUri` answers. */
  readonly published: TestCertificate[];
}

/** An application that trusts the peer of the tests as a proxy, with a simulated Internet. */
export function openProxied(kind: 'sqlite' | 'postgres'): ProxiedApp {
  const published: TestCertificate[] = [];
  let app: TestApp;
  const egress: Egress = {
    fetch: async ({ url }) => {
      assert.equal(url, keysUri);
      return fetched(url, { keys: published.map(({ jwk }) => jwk) });
    },
  };
  before(async () => {
    const settings = { ...unlimited, mutual_tls: 'verified' };
    app = await openTestApp(kind, { settings, services: { egress }, app: { trustProxy: ['loopback'] } });
  });
  after(() => app.dispose());
  return { app: () => app, published };
}

/** The same account as a client sees it that shows this certificate to the proxy. */
export function showing(app: TestApp, { header }: Pick<TestCertificate, 'header'>): TestApp {
  return {
    ...app,
    send: (method, path, sent = {}) => app.send(method, path, { ...sent, headers: { ...sent.headers, ...header } }),
  };
}

/** A client that registers its certificate. */
export function registerSelfSigned(
  app: TestApp,
  certificates: readonly TestCertificate[],
  more: object = {},
): Promise<RegisteredClient> {
  const jwks = { keys: certificates.map(({ jwk }) => jwk) };
  return registerClient(app, { token_endpoint_auth_method: 'self_signed_tls_client_auth', jwks, ...more });
}

/** A client whose access tokens are bound to its certificate. */
export const bound = { tls_client_certificate_bound_access_tokens: true };

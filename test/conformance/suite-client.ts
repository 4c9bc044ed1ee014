/**
 * A client of the OpenID Foundation's conformance suite in its FAPI 2.0 plans, with a configuration as the account's
 * command prints it: what a module asks is asked with its keys and certificates, at the addresses it is told.
 */

import assert from 'node:assert/strict';
import { hash, randomUUID, X509Certificate } from 'node:crypto';
import { type CryptoKey, createLocalJWKSet, importJWK, type JWK, type JWTPayload, jwtVerify, SignJWT } from 'jose';
import type { certify } from '../../scripts/conformance/certify.ts';
import type { FapiPlan } from '../../scripts/conformance/plans.ts';
import type { fapiConfiguration } from '../../scripts/conformance/suite.ts';
import type { TestApp } from '../support/app.ts';
import { shown } from '../support/assertions.ts';
import type { Answer } from '../support/conforms.ts';
import { newProofKey, type ProofChanges, type ProofKey, proofFor } from '../support/dpop.ts';
import {
  CookieJar,
  codeChallenge,
  codeVerifier,
  formTo,
  submit,
  submitTo,
  type Walk,
  walk,
} from '../support/sign-in.ts';

type Certified = Awaited<ReturnType<typeof certify>>;
export type Configuration = Awaited<ReturnType<typeof fapiConfiguration>>;

/** A plan as somebody chose its variants, and what it runs on. */
export interface Chosen {
  readonly app: TestApp;
  readonly plan: FapiPlan;
  readonly isJarm: boolean;
  readonly configuration: Configuration;
  readonly user: Certified['user'];
}

type Members = Readonly<Record<string, unknown>>;
type Changes = Readonly<Record<string, string | undefined>>;

/** Members without those that are undefined. */
function given<Value>(members: Readonly<Record<string, Value | undefined>>): Record<string, Value> {
  return Object.fromEntries(Object.entries(members).filter((pair): pair is [string, Value] => pair[1] !== undefined));
}

/** How a request differs from a good one. */
export interface Pushing {
  /** Of the request; undefined leaves a parameter out. */
  readonly parameters?: Readonly<Record<string, unknown>>;
  /** Of the request object. */
  readonly object?: Members;
  /** Beside it, in the form. */
  readonly beside?: Changes;
  /** Whether its parameters are sent as they are, though the plan signs them. */
  readonly unsigned?: boolean;
  readonly assertion?: Assertion;
  readonly signing?: Signing;
  /** The key that it proves already here. */
  readonly proof?: ProofKey;
  readonly changes?: ProofChanges;
}

interface Signing {
  readonly key?: JWK;
  readonly header?: Members;
  /** What happens to the JWT on its way. */
  readonly spoil?: (text: string) => string;
}

export interface Assertion extends Signing {
  readonly claims?: Members;
  /** Members of the form in place of a good assertion. */
  readonly form?: Changes;
}

/** How a token request differs. */
export interface Asking {
  readonly form?: Changes;
  readonly assertion?: Assertion;
  /** Null: it shows neither key nor certificate. */
  readonly sender?: Sender | null;
}

/** What a client shows with requests for tokens, and with tokens. */
export interface Sender {
  readonly proof: ProofKey | null;
  readonly certificate: string | null;
  readonly changes?: ProofChanges;
}

const state = 'a state of the suite';

/** One of the two clients of a configuration. */
export class SuiteClient {
  readonly chosen: Chosen;
  readonly id: string;
  readonly key: JWK;
  readonly redirectUri: string;
  /** What it proves that it has: a key of its own, or its certificate. */
  sender: Sender;
  readonly #certificate: string | null;
  #nonce: string | undefined;

  private constructor(chosen: Chosen, which: 1 | 2, sender: Sender) {
    const { configuration } = chosen;
    const { client_id, jwks } = which === 1 ? configuration.client : configuration.client2;
    this.chosen = chosen;
    this.id = client_id;
    this.key = jwks.keys[0] as JWK;
    const callback = `https://www.certification.openid.net/test/a/${configuration.alias}/callback`;
    this.redirectUri = which === 1 ? callback : `${callback}?dummy1=lorem&dummy2=ipsum`;
    this.sender = sender;
    this.#certificate = sender.certificate;
  }

  static async open(chosen: Chosen, which: 1 | 2 = 1): Promise<SuiteClient> {
    const { mtls, mtls2 } = chosen.configuration;
    const member = which === 1 ? mtls : mtls2;
    const certificate = member ? `:${new X509Certificate(member.cert).raw.toString('base64')}:` : null;
    const proof = certificate === null ? await newProofKey(chosen.plan.alg) : null;
    return new SuiteClient(chosen, which, { proof, certificate });
  }

  get #at(): TestApp {
    return this.chosen.app;
  }

  get issuer(): string {
    return this.#at.account.baseUrl;
  }

  get now(): number {
    return Math.floor(this.#at.services.clock.now() / 1000);
  }

  async sign(payload: Members, { key = this.key, header = {}, spoil = (text) => text }: Signing = {}): Promise<string> {
    const { alg = '', kid } = key;
    const named = given({ alg, kid, ...header }) as { alg: string };
    if (named.alg === 'none') {
      const part = (json: object) => Buffer.from(JSON.stringify(json)).toString('base64url');
      return `${part(named)}.${part(payload)}.`;
    }
    const signed = new SignJWT(payload as JWTPayload).setProtectedHeader(named);
    return spoil(await signed.sign((await importJWK({ ...key, alg: named.alg }, named.alg)) as CryptoKey));
  }

  /** The members of the form and the headers by which it authenticates. */
  async #authentication({ claims = {}, form, ...signing }: Assertion = {}) {
    if (this.chosen.plan.variants.client_auth_type === 'mtls') {
      return { headers: certified(this.#certificate), form: { client_id: this.id, ...form } };
    }
    const good = { iss: this.id, sub: this.id, aud: this.issuer, iat: this.now, exp: this.now + 60, jti: randomUUID() };
    const assertion = shown(await this.sign(given({ ...good, ...claims }), signing));
    return { headers: {}, form: { client_id: this.id, ...assertion, ...form } };
  }

  /** What every request of the plan asks for. */
  parameters(changes: Readonly<Record<string, unknown>> = {}): Record<string, unknown> {
    const { isJarm } = this.chosen;
    return given<unknown>({
      client_id: this.id,
      redirect_uri: this.redirectUri,
      response_type: 'code',
      scope: 'openid email',
      state,
      nonce: 'a nonce of the suite',
      code_challenge: codeChallenge,
      code_challenge_method: 'S256',
      ...(isJarm && { response_mode: 'jwt' }),
      ...changes,
    });
  }

  async push(pushing: Pushing = {}): Promise<Answer> {
    const { proof, changes } = pushing;
    const request = await this.#request(pushing);
    const send = async (nonce: string | undefined) => {
      const own = await this.#authentication(pushing.assertion);
      const form = given({ ...request, ...own.form, ...pushing.beside });
      const proven = { ...changes, claims: { nonce, ...changes?.claims } };
      const dpop = proof && { dpop: await proofFor(this.#at, proof, 'POST', '/oauth2/par', proven) };
      return this.#at.send('POST', '/oauth2/par', { headers: { ...own.headers, ...dpop }, form });
    };
    return this.#repeated(send, proof !== undefined);
  }

  /** The request as it is pushed: in an object where the plan says so. */
  async #request({ parameters, object, signing, unsigned = false }: Pushing): Promise<Record<string, string>> {
    const asked = this.parameters(parameters);
    if (unsigned || !this.chosen.plan.signs) return asked as Record<string, string>;
    const claims = { iss: this.id, aud: this.issuer, nbf: this.now, exp: this.now + 300, ...asked, ...object };
    return { request: await this.sign(given(claims), signing) };
  }

  /** Asks, and once again with the nonce where the service wants one. */
  async #repeated(send: (nonce: string | undefined) => Promise<Answer>, proves: boolean): Promise<Answer> {
    const first = await send(this.#nonce);
    this.#nonce = String(first.headers['dpop-nonce'] ?? this.#nonce ?? '') || undefined;
    return proves && first.body?.error === 'use_dpop_nonce' ? send(this.#nonce) : first;
  }

  /** The address of a pushed request, as the suite opens it: what differs from the request stands beside it. */
  addressOf(pushed: Answer, beside: Record<string, string> = {}): string {
    assert.deepEqual([pushed.status, pushed.body.expires_in], [201, 90], pushed.text);
    assert.ok(String(pushed.headers['content-type']).startsWith('application/json'));
    const named = { client_id: this.id, request_uri: pushed.body.request_uri };
    return `/oauth2/authorize?${new URLSearchParams({ ...named, ...beside })}`;
  }

  /** What the user's browser ends at: signs in and allows where a page asks. */
  async browse(address: string, jar = browser(this.chosen)): Promise<Answer> {
    const { email, password } = this.chosen.user;
    let at: Walk = await walk(this.#at, jar, address);
    if (/name="password"/.test(at.answer.text)) at = await submit(this.#at, at, { username: email, password });
    if (/value="allow"/.test(at.answer.text)) at = await submit(this.#at, at, { decision: 'allow' });
    return at.answer;
  }

  /** The user cancels where the page asks who signs in. */
  async cancel(address: string): Promise<Answer> {
    const at = await walk(this.#at, new CookieJar(), address);
    return (await submitTo(this.#at, at.jar, '/cancel', formTo(at, '/cancel'))).answer;
  }

  /** The parameters with which the client is called, out of the JWT that they come in where the plan says so. */
  async called(answer: Answer): Promise<Record<string, unknown>> {
    assert.equal(answer.status, 303, answer.text.slice(0, 400));
    const to = new URL(String(answer.headers['location']));
    const own = new URL(this.redirectUri);
    assert.deepEqual([to.origin + to.pathname, to.hash], [own.origin + own.pathname, '']);
    const query = Object.fromEntries(to.searchParams);
    for (const [name, value] of own.searchParams) {
      assert.equal(query[name], value);
      delete query[name];
    }
    if (!this.chosen.isJarm) return query;
    assert.deepEqual(Object.keys(query), ['response']);
    const { exp, ...parameters } = await this.verified(query['response'] ?? '');
    assert.ok((exp ?? 0) > this.now + 10 && (exp ?? 0) <= this.now + 600);
    return parameters;
  }

  /** Claims of a JWT of the service for this client, without audience. */
  async verified(text: string): Promise<JWTPayload> {
    const { body } = await this.#at.send('GET', '/oauth2/jwks');
    const checks = { issuer: this.issuer, audience: this.id, algorithms: [this.chosen.plan.alg] };
    const currentDate = new Date(this.now * 1000);
    const { payload, protectedHeader } = await jwtVerify(text, createLocalJWKSet(body), { ...checks, currentDate });
    assert.ok(protectedHeader.kid);
    const { aud: _, ...claims } = payload;
    return claims;
  }

  /** A code for a good request that differs so. */
  async code(pushing: Pushing = {}): Promise<string> {
    const called = await this.called(await this.browse(this.addressOf(await this.push(pushing))));
    const expected = { state, ...pushing.parameters }.state;
    assert.deepEqual([typeof called['code'], called['state'], called['iss']], ['string', expected, this.issuer]);
    return String(called['code']);
  }

  async ask(form: Changes, { assertion, sender = this.sender, form: changes }: Asking = {}): Promise<Answer> {
    const send = async (nonce: string | undefined) => {
      const own = await this.#authentication(assertion);
      // A request without certificate authenticates by none either.
      const headers = sender === null ? {} : { ...own.headers, ...certified(sender.certificate) };
      const proof = sender?.proof;
      const proven = { ...sender?.changes, claims: { nonce, ...sender?.changes?.claims } };
      const dpop = proof && { dpop: await proofFor(this.#at, proof, 'POST', '/oauth2/token', proven) };
      const sent = given({ ...own.form, ...form, ...changes });
      return this.#at.send('POST', '/oauth2/token', { headers: { ...headers, ...dpop }, form: sent });
    };
    return this.#repeated(send, sender?.proof != null);
  }

  redeem(code: string, asking?: Asking): Promise<Answer> {
    const form = {
      grant_type: 'authorization_code',
      code,
      redirect_uri: this.redirectUri,
      code_verifier: codeVerifier,
    };
    return this.ask(form, asking);
  }

  refresh(token: string, asking?: Asking): Promise<Answer> {
    return this.ask({ grant_type: 'refresh_token', refresh_token: token }, asking);
  }

  /** Tokens as the suite checks them, and what the id token says. */
  async tokens(
    answer: Answer,
  ): Promise<{ readonly access: string; readonly refresh: string; readonly id: JWTPayload }> {
    assert.equal(answer.status, 200, answer.text);
    assert.match(String(answer.headers['cache-control']), /no-store/);
    const { access_token, refresh_token, id_token, token_type, expires_in } = answer.body;
    assert.equal(token_type, this.sender.proof ? 'DPoP' : 'Bearer');
    assert.ok(expires_in > 0 && access_token.length >= 22 && refresh_token.length >= 22);
    return { access: access_token, refresh: refresh_token, id: await this.verified(id_token) };
  }

  /** Calls userinfo, the resource of the configuration. */
  async use(token: string, { sender = this.sender, scheme, headers: more }: Using = {}): Promise<Answer> {
    const send = async (nonce: string | undefined) => {
      const { proof, certificate, changes } = sender;
      const claims = { nonce, ath: hash('sha256', token, 'base64url'), ...changes?.claims };
      const dpop = proof && {
        dpop: await proofFor(this.#at, proof, 'GET', '/oauth2/userinfo', { ...changes, claims }),
      };
      const named = scheme ?? (proof ? 'DPoP' : 'Bearer');
      const authorization = `${named} ${token}`;
      const headers = { authorization, ...dpop, ...certified(certificate), ...more };
      return this.#at.send('GET', '/oauth2/userinfo', { headers: given<string>(headers) });
    };
    return this.#repeated(send, sender.proof !== null);
  }
}

/** What a proxy sends for a certificate. */
function certified(certificate: string | null): Record<string, string> {
  return certificate === null ? {} : { 'client-cert': certificate };
}

/** How a call of the resource differs. */
export interface Using {
  readonly sender?: Sender;
  readonly scheme?: string;
  readonly headers?: Readonly<Record<string, string | undefined>>;
}

const browsers = new WeakMap<Chosen, CookieJar>();

/** The browser of the one who runs the plan: signed in from its first module on. */
function browser(chosen: Chosen): CookieJar {
  const jar = browsers.get(chosen) ?? new CookieJar();
  browsers.set(chosen, jar);
  return jar;
}

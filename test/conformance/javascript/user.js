/** What a user does in a browser: plain requests, a cookie jar for each host, the forms of the hosted pages. */

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';

const env = process.env;
export const issuer = env['GATEHOUSE_ISSUER'];
export const email = env['GATEHOUSE_EMAIL'];
const password = env['GATEHOUSE_PASSWORD'];

const plain = (text) =>
  text
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&');

/** One browser. */
export class User {
  #cookies = new Map();

  async #send(url, init = {}) {
    const jar = this.#cookies.get(url.host) ?? new Map();
    this.#cookies.set(url.host, jar);
    const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join('; ');
    const answer = await fetch(url, { ...init, headers: { cookie, ...init.headers }, redirect: 'manual' });
    for (const line of answer.headers.getSetCookie()) {
      const [pair] = line.split(';', 1);
      const at = pair.indexOf('=');
      if (/;\s*(max-age=0|expires=Thu, 01 Jan 1970)/i.test(line)) jar.delete(pair.slice(0, at));
      else jar.set(pair.slice(0, at), pair.slice(at + 1));
    }
    return { url, status: answer.status, location: answer.headers.get('location'), text: await answer.text() };
  }

  /** Goes to an address, signs in and consents where a page asks; answers where it ends, with the page of `application`. */
  async visit(start, application = null) {
    let answer = await this.#send(new URL(start));
    for (let step = 0; step < 30; step += 1) {
      if (answer.location) {
        const next = new URL(answer.location, answer.url);
        if (next.origin !== issuer && next.origin !== application) return { url: next };
        answer = await this.#send(next);
      } else if (answer.url.origin === application) return answer;
      else {
        assert.equal(answer.status, 200, `${answer.status} at ${answer.url}: ${answer.text}`);
        answer = await this.#submit(answer);
      }
    }
    throw new Error('too many pages');
  }

  #submit({ url, text }) {
    const fields = new URLSearchParams();
    for (const [tag] of text.matchAll(/<input\b[^>]*>/g)) {
      const name = /\bname="([^"]*)"/.exec(tag)?.[1];
      if (name) fields.set(name, plain(/\bvalue="([^"]*)"/.exec(tag)?.[1] ?? ''));
    }
    const action = new URL(plain(/<form\b[^>]*\baction="([^"]*)"/.exec(text)[1]), url);
    if (fields.has('password')) {
      fields.set('username', email);
      fields.set('password', password);
    } else if (action.origin === issuer) {
      assert.match(text, /value="allow"/, text);
      fields.set('decision', 'allow');
    }
    return this.#send(action, { method: 'POST', body: fields });
  }
}

/** A JSON request, which must be answered with 2xx. */
export async function json(url, { body, token } = {}) {
  const answer = await fetch(url, {
    ...(body && { method: 'POST', body: JSON.stringify(body) }),
    headers: { 'content-type': 'application/json', ...(token && { authorization: `Bearer ${token}` }) },
  });
  const text = await answer.text();
  assert.ok(answer.ok, `${url}: ${answer.status} ${text}`);
  return JSON.parse(text);
}

export const discover = () => json(`${issuer}/.well-known/openid-configuration`);

/** Registers a client (RFC 7591), in the open unless a token is given. */
export const register = async (metadata, token) =>
  json((await discover()).registration_endpoint, { body: metadata, token });

/** A server on a free port of loopback; `handle` may be set once the address is known. */
export async function serve() {
  const served = { origin: '', handle: null, close: () => server.close() };
  const server = createServer((request, response) => served.handle(request, response));
  await once(server.listen(0, '127.0.0.1'), 'listening');
  served.origin = `http://127.0.0.1:${server.address().port}`;
  return served;
}

export const said = (line) => process.stdout.write(`  ok  ${line}\n`);

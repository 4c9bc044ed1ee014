/**
 * Visits of browsers, from the client's request to the client's address with a code. Those with a session see no page;
 * others sign in by the form. The code may be exchanged. A visit counts as one request, however many steps it takes.
 */

import type { RawAnswer } from './http-client.ts';
import { benchPassword } from './peer.ts';
import { formType, getText, headerOf, requestText, unexpected } from './request-text.ts';
import type { Requests } from './requests.ts';
import type { Target } from './target.ts';

const redirectUri = 'https://app.example.com/callback';
/** Of RFC 7636, appendix B. */
const verifier = 'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk';
export const challenge = 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM';

interface Browser {
  readonly cookies: Map<string, string>;
  /** What is sent next; null: nothing, a visit begins. */
  next: string | null;
}

const begun = ({ path, clientId }: Target) =>
  `${path}?${new URLSearchParams({
    response_type: 'code',
    client_id: clientId ?? '',
    redirect_uri: redirectUri,
    scope: 'openid profile email',
    state: 'a-state',
    code_challenge: challenge,
    code_challenge_method: 'S256',
  })}`;

function cookieLine({ cookies }: Browser): string {
  const pairs = [...cookies].map(([name, value]) => `${name}=${value}`);
  return pairs.length === 0 ? '' : `Cookie: ${pairs.join('; ')}\r\n`;
}

function keepCookies({ cookies }: Browser, { head }: RawAnswer): void {
  for (const [, name = '', value = ''] of head.matchAll(/\r\nset-cookie: (\w+)=([^;\r]*)/gi)) cookies.set(name, value);
}

const get = ({ host }: Target, browser: Browser, path: string) =>
  getText(host, path, `${cookieLine(browser)}Accept: text/html\r\n`);

/** The code that a redirect takes to the client; null: it goes elsewhere. */
function codeIn(location: string): string | null {
  const code = location.startsWith(redirectUri) ? /[?&]code=([^&]+)/.exec(location)?.[1] : undefined;
  return code === undefined ? null : decodeURIComponent(code);
}

function exchangeOf(target: Target, code: string): string {
  const about = `redirect_uri=${encodeURIComponent(redirectUri)}&code_verifier=${verifier}`;
  const to = { ...target, path: target.exchangePath ?? '' };
  return requestText(to, formType, `grant_type=authorization_code&code=${encodeURIComponent(code)}&${about}`);
}

/** Steps from an answer to the next request; a text that is wrong where there is none. */
function onward(target: Target, browser: Browser, answer: RawAnswer): { next: string | null } | string {
  keepCookies(browser, answer);
  const location = answer.status === 303 ? headerOf(answer, 'location') : undefined;
  if (location?.startsWith('/')) return { next: get(target, browser, location) };
  const code = location === undefined ? null : codeIn(location);
  if (code === null) return unexpected(answer);
  return { next: target.exchangePath === undefined ? null : exchangeOf(target, code) };
}

/** Browsers whose visits begin with what `start` says. */
function visiting(
  target: Target,
  browsers: readonly Browser[],
  step: (browser: Browser, answer: RawAnswer, position: number) => { next: string | null } | string,
  start: (browser: Browser) => void = () => {},
): Requests {
  const first = begun(target);
  const browserAt = (position: number): Browser => {
    const browser = browsers[position];
    if (!browser) throw new Error('no such browser');
    return browser;
  };
  return {
    size: browsers.length,
    write: (position) => {
      const browser = browserAt(position);
      if (browser.next !== null) return browser.next;
      start(browser);
      return get(target, browser, first);
    },
    check: (position, answer) => {
      const browser = browserAt(position);
      const stepped = step(browser, answer, position);
      browser.next = typeof stepped === 'string' ? null : stepped.next;
      return typeof stepped === 'string' ? stepped : null;
    },
    goesOn: (position) => browserAt(position).next !== null,
  };
}

/** Of browsers with a session. */
export function visits(target: Target): Requests {
  const browsers = target.tokens.map((session): Browser => ({ cookies: new Map([['sid', session]]), next: null }));
  return visiting(target, browsers, (browser, answer) =>
    answer.status === 200 && answer.body.includes('"id_token":"') ? { next: null } : onward(target, browser, answer),
  );
}

function fill(page: string, username: string): { readonly action: string; readonly body: string } | null {
  const form = page.split('<form').find((part) => part.includes('name="password"'));
  const action = /\baction="([^"]+)"/.exec(form ?? '')?.[1];
  if (form === undefined || action === undefined) return null;
  const hidden = [...form.matchAll(/<input type="hidden" name="(\w+)" value="([^"]*)"/g)];
  const fields = hidden.map(([, name = '', value = '']) => [name, value]);
  const typed = { username, password: benchPassword };
  return { action, body: new URLSearchParams({ ...Object.fromEntries(fields), ...typed }).toString() };
}

/** Of browsers that have nothing, each with a user of its own. */
export function signIns(target: Target): Requests {
  const browsers = target.tokens.map((): Browser => ({ cookies: new Map(), next: null }));
  const step = (browser: Browser, answer: RawAnswer, position: number) => {
    const filled = answer.status === 200 ? fill(answer.body, target.tokens[position] ?? '') : null;
    if (!filled) return onward(target, browser, answer);
    keepCookies(browser, answer);
    const to = { host: target.host, path: filled.action, authorization: null };
    return { next: requestText(to, formType, filled.body, cookieLine(browser)) };
  };
  return visiting(target, browsers, step, ({ cookies }) => cookies.clear());
}

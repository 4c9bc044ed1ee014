import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { RawAnswer } from './http-client.ts';
import { requestsTo } from './requests.ts';
import type { RequestKind, Target } from './target.ts';

const targetOf = (kind: RequestKind, more: Partial<Target> = {}): Target => ({
  ...{ name: kind, kind, ports: [1], host: 'bench.localhost', path: '/path', authorization: 'Basic eA==' },
  ...{ tokens: ['one'], pids: [], ...more },
});

const answer = (status: number, body: string, ...headers: readonly string[]): RawAnswer => ({
  status,
  head: ['HTTP/1.1', ...headers].join('\r\n'),
  body,
});

describe('requests of the bench that take several steps', () => {
  it('goes from a session to the tokens as one', () => {
    const visits = requestsTo(targetOf('code-exchange', { exchangePath: '/token', clientId: 'app' }));
    assert.match(visits.write(0), /^GET \/path\?.*client_id=app.*\r\n(?=[\s\S]*Cookie: sid=one\r\n)/);
    assert.equal(visits.check(0, answer(303, '', 'Location: /continue?request=r', 'Set-Cookie: tx=t; Path=/')), null);
    assert.equal(visits.goesOn?.(0), true);
    assert.match(visits.write(0), /^GET \/continue\?request=r (?=[\s\S]*Cookie: sid=one; tx=t\r\n)/);
    assert.equal(visits.check(0, answer(303, '', 'Location: https://app.example.com/callback?code=c&state=s')), null);
    assert.equal(visits.goesOn?.(0), true);
    assert.match(visits.write(0), /^POST \/token (?=[\s\S]*grant_type=authorization_code&code=c&)/);
    assert.equal(visits.check(0, answer(200, '{"id_token":"t"}')), null);
    assert.equal(visits.goesOn?.(0), false);
    assert.match(visits.write(0), /^GET \/path\?/);
    assert.match(String(visits.check(0, answer(400, 'no'))), /^400 no$/);
    assert.equal(visits.goesOn?.(0), false);
  });

  it('fills the form of the sign-in page', () => {
    const signIns = requestsTo(targetOf('sign-in', { tokens: ['ada@example.com'] }));
    assert.doesNotMatch(signIns.write(0), /Cookie/);
    const hidden = '<input type="hidden" name="csrf" value="c">';
    const page = `<form action="/other">${hidden}</form><form method="post" action="/sign-in">${hidden}<input name="password"></form>`;
    assert.equal(signIns.check(0, answer(200, page, 'Set-Cookie: tx=t; Path=/')), null);
    assert.equal(signIns.goesOn?.(0), true);
    assert.match(
      signIns.write(0),
      /^POST \/sign-in (?=[\s\S]*Cookie: tx=t\r\n)(?=[\s\S]*\r\n\r\ncsrf=c&username=ada%40example.com&)/,
    );
    assert.match(String(signIns.check(0, answer(401, 'wrong'))), /^401 wrong$/);
  });

  it('sends a proof again with the nonce that the server asks for', () => {
    const refreshes = requestsTo(targetOf('refresh-dpop'));
    const nonceOf = (request: string) => {
      const [, payload = ''] = /DPoP: [\w-]+\.([\w-]+)\./.exec(request) ?? [];
      return JSON.parse(Buffer.from(payload, 'base64url').toString()).nonce;
    };
    assert.equal(nonceOf(refreshes.write(0)), undefined);
    assert.equal(refreshes.check(0, answer(400, '{"error":"use_dpop_nonce"}', 'DPoP-Nonce: n')), null);
    assert.equal(refreshes.goesOn?.(0), true);
    assert.equal(nonceOf(refreshes.write(0)), 'n');
    assert.equal(refreshes.goesOn?.(0), false);
  });

  it('reads the second page by the cursor of the first one', () => {
    const pages = requestsTo(targetOf('user-list', { tokens: [] }));
    assert.match(pages.write(0), /^GET \/path\?limit=50 /);
    assert.equal(pages.check(0, answer(200, '[{"email":"a"}]', 'After-Cursor: next')), null);
    assert.equal(pages.goesOn?.(0), true);
    assert.match(pages.write(0), /^GET \/path\?cursor=next /);
    assert.equal(pages.check(0, answer(200, '[{"email":"b"}]', 'After-Cursor: third')), null);
    assert.equal(pages.goesOn?.(0), false);
    assert.match(pages.write(0), /^GET \/path\?cursor=next /);
  });
});

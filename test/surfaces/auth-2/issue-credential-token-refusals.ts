/** What POST /auth/oauth2/v2/token refuses (docs/document-gaps.md#tokens-for-api-credentials). */

import assert from 'node:assert/strict';
import { it } from 'node:test';
import { revokeCredential } from '../../../src/domain/callers/credentials.ts';
import { basic, type Sent, type TestApp } from '../../support/app.ts';
import { registerClient } from '../../support/sign-in.ts';
import { assertBadRequest, assertUnauthorized, bodies, issue, makePair, type Pair, tokenPath, ways } from './pairs.ts';

const grant = { grant_type: 'client_credentials' };
const absent = 'grant_type is incorrect/absent';

export function issueCredentialTokenRefusals(app: () => TestApp): void {
  const withHeader = (headers: Record<string, string>, more: Sent = { json: grant }) =>
    app().send('POST', tokenPath, { ...more, headers });
  const withMembers = (clientId: unknown, clientSecret: unknown) =>
    app().send('POST', tokenPath, { json: { ...grant, client_id: clientId, client_secret: clientSecret } });

  it('answers 401 for a pair that is missing, unknown, wrong, revoked, or of another kind or account', async () => {
    const pair = await makePair(app());
    const other = await makePair(app());
    const gone = await makePair(app());
    await revokeCredential(app().services, app().account, gone.clientId);
    const elsewhere = await makePair(await app().another());
    const client = await registerClient(app());
    const pairs: Readonly<Record<string, Pair>> = {
      'unknown id': { clientId: 'unknown', clientSecret: pair.clientSecret },
      'wrong secret': { clientId: pair.clientId, clientSecret: 'wrong' },
      'longer secret': { clientId: pair.clientId, clientSecret: `${pair.clientSecret}x` },
      'shorter secret': { clientId: pair.clientId, clientSecret: pair.clientSecret.slice(0, -1) },
      'secret in another case': { clientId: pair.clientId, clientSecret: pair.clientSecret.toLowerCase() },
      "another pair's secret": { clientId: pair.clientId, clientSecret: other.clientSecret },
      'the halves swapped': { clientId: pair.clientSecret, clientSecret: pair.clientId },
      'a revoked pair': gone,
      "another account's pair": elsewhere,
      'a registered client': { clientId: client.client_id, clientSecret: client.client_secret ?? '' },
      'empty secret': { clientId: pair.clientId, clientSecret: '' },
      'a colon in the secret': { clientId: pair.clientId, clientSecret: `${pair.clientSecret}:` },
    };
    for (const [what, wrong] of Object.entries(pairs)) {
      for (const [way, present] of Object.entries(ways)) {
        const { headers = {}, members = {} } = present(wrong);
        assertUnauthorized(await withHeader(headers, { json: { ...grant, ...members } }), 'Basic', `${what} by ${way}`);
      }
    }
    assert.ok(await issue(app(), pair));
  });

  it('answers 401 when half of the pair, or all of it, is missing', async () => {
    const { clientId, clientSecret } = await makePair(app());
    for (const [id, secret] of [
      [undefined, undefined],
      [clientId, undefined],
      [undefined, clientSecret],
      ['', ''],
      [clientId, ''],
    ]) {
      assertUnauthorized(await withMembers(id, secret), 'Basic', `${id} ${secret}`);
    }
  });

  it('answers 401 for a header in any other form', async () => {
    const { clientId: id, clientSecret: secret } = await makePair(app());
    const encoded = (text: string) => Buffer.from(text).toString('base64');
    const headers = [
      ...[
        '',
        'Basic',
        'Basic !!!',
        `Basic ${encoded(id)}`,
        `Basic ${encoded(`:${secret}`)}`,
        `Basic ${id}:${secret}`,
        `Basic ${encoded(`${id}:%zz`)}`,
      ],
      ...[
        `Bearer ${secret}`,
        `Token ${encoded(`${id}:${secret}`)}`,
        `${id}:${secret}`,
        `client_id:${id}`,
        `client_secret:${secret}`,
      ],
      ...[
        `client_id:${id};client_secret:${secret}`,
        `client_secret:${secret}, client_id:${id}`,
        `client_id=${id}, client_secret=${secret}`,
      ],
      ...[
        `client_id:${id}, client_secret:${secret}, x:y`,
        `client_id:"${id}", client_secret:"${secret}"`,
        `client_id:${'a'.repeat(5000)}`,
      ],
    ];
    for (const authorization of headers)
      assertUnauthorized(await withHeader({ authorization }), 'Basic', authorization.slice(0, 60));
  });

  it('answers 401 for a pair both in the header and in the body, right or wrong; the id alone is not a second pair', async () => {
    const { clientId, clientSecret } = await makePair(app());
    const other = await makePair(app());
    for (const [way, present] of Object.entries(ways)) {
      const { headers } = present({ clientId, clientSecret });
      if (!headers) continue;
      const members = [
        { client_id: clientId, client_secret: clientSecret },
        { client_secret: clientSecret },
        { client_secret: 'wrong' },
        { client_id: other.clientId },
        { client_id: other.clientId, client_secret: other.clientSecret },
      ];
      for (const more of members) {
        assertUnauthorized(
          await withHeader(headers, { json: { ...grant, ...more } }),
          'Basic',
          `${way} and ${Object.keys(more)}`,
        );
      }
      assert.equal((await withHeader(headers, { json: { ...grant, client_id: clientId } })).status, 200, way);
    }
  });

  it('answers 400 when grant_type is missing or unsupported, whatever the pair', async () => {
    const { clientId, clientSecret } = await makePair(app());
    for (const secret of [clientSecret, 'wrong']) {
      for (const grantType of [
        undefined,
        '',
        'password',
        'refresh_token',
        'CLIENT_CREDENTIALS',
        'client_credentials ',
        '__proto__',
      ]) {
        const members = {
          client_id: clientId,
          client_secret: secret,
          ...(grantType !== undefined && { grant_type: grantType }),
        };
        for (const [kind, body] of Object.entries(bodies)) {
          assertBadRequest(await app().send('POST', tokenPath, body(members)), absent, `${grantType} ${kind}`);
        }
      }
    }
  });

  it('answers 400 for malformed JSON, another media type, and members of a wrong type, naming the fault', async () => {
    const { clientId, clientSecret } = await makePair(app());
    const headers = basic(clientId, clientSecret);
    const json = { ...headers, 'content-type': 'application/json' };
    for (const raw of ['null', '"x"', '7']) {
      assertBadRequest(await withHeader(json, { raw }), 'the body is not a JSON object', raw);
    }
    for (const raw of [
      '{',
      '{"grant_type":"client_credentials"',
      "{'grant_type':'client_credentials'}",
      'grant_type=client_credentials',
    ]) {
      assertBadRequest(await withHeader(json, { raw }), 'the body is not valid JSON', raw);
    }
    for (const type of [
      'text/plain',
      'application/xml',
      'multipart/form-data; boundary=x',
      'application/jsonp',
      null,
    ]) {
      const typed = type === null ? headers : { ...headers, 'content-type': type };
      const answer = await withHeader(typed, { raw: Buffer.from(JSON.stringify(grant)) });
      const message = 'Content-Type must be application/json or application/x-www-form-urlencoded';
      assertBadRequest(answer, message, String(type));
    }
    for (const member of ['grant_type', 'client_id', 'client_secret']) {
      for (const value of [1, true, null, ['x'], { x: 1 }, 'x'.repeat(256)]) {
        const answer = await withHeader(headers, { json: { ...grant, [member]: value } });
        assertBadRequest(answer, new RegExp(`^${member} `), `${member} ${JSON.stringify(value).slice(0, 20)}`);
      }
    }
    for (const json of [[], [grant]]) assertBadRequest(await withHeader(headers, { json }), /^the body /, 'array');
    assertBadRequest(await withHeader(headers, { json: {} }), absent, '{}');
    assertBadRequest(await withHeader({ ...headers, 'content-type': 'application/json' }, {}), absent, 'empty body');
    assertBadRequest(await withHeader(headers, {}), /^Content-Type must be/, 'no body');
  });

  it('answers 400 for a repeated form member, and ignores the query', async () => {
    const { clientId, clientSecret } = await makePair(app());
    const form = String(new URLSearchParams({ ...grant, client_id: clientId, client_secret: clientSecret }));
    for (const name of ['grant_type', 'client_id', 'client_secret', 'x']) {
      const answer = await app().send('POST', tokenPath, { form: `${form}&${name}=1&${name}=2` });
      assertBadRequest(answer, `${name} is given twice`, name);
    }
    assertBadRequest(await app().send('POST', `${tokenPath}?${form}`, { json: {} }), absent, 'in the query');
  });
}

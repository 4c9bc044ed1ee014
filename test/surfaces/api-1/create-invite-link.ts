import assert from 'node:assert/strict';
import { it, mock } from 'node:test';
import { listCredentials, revokeCredentialById } from '../../../src/domain/callers/credentials.ts';
import type { CredentialScope } from '../../../src/domain/callers/scopes.ts';
import { credentialScopes } from '../../../src/domain/callers/scopes.ts';
import type { TestApp } from '../../support/app.ts';
import type { Answer } from '../../support/conforms.ts';
import { pathOfLink } from '../../support/invites.ts';
import { makeUser } from '../../support/sign-in.ts';

const path = '/api/1/invites/get_invite_link';

export function createInviteLink(app: () => TestApp): void {
  async function post(json: unknown, scope: CredentialScope = 'manage_all', one = app()): Promise<Answer> {
    return one.send('POST', path, { headers: { authorization: `Bearer ${await one.bearer(scope)}` }, json });
  }

  it('returns the same body as the call that it replaces', async () => {
    const { email } = await makeUser(app());
    const answer = await post({ email });
    assert.equal(answer.status, 200);
    const [link] = answer.body.data;
    pathOfLink(app(), link);
    const status = '{"type":"success","message":"Success","error":false,"code":200}';
    assert.equal(answer.text, `{"status":${status},"data":["${link}"]}`);
    assert.equal(answer.headers['deprecation'], undefined);
    assert.match(String(answer.headers['x-ratelimit-remaining']), /^\d+$/);
  });

  it('answers 400 in the status form for an unknown user, a missing e-mail address, and an unreadable body', async () => {
    const said = async (json: unknown) => {
      const { status, body } = await post(json);
      assert.deepEqual(
        [status, body.status.type, body.status.error, body.status.code],
        [400, 'bad request', true, 400],
      );
      return body.status.message;
    };
    const rows: [json: unknown, message: string | RegExp][] = [
      [{ email: 'nobody@example.com' }, 'No User exists for input email'],
      [{ email: 'not an address' }, 'No User exists for input email'],
      [{}, 'Email Parameter is missing'],
      [{ email: '' }, 'Email Parameter is missing'],
    ];
    for (const [json, message] of rows) assert.equal(await said(json), message);
    assert.match(await said({ email: 7 }), /email/);
    assert.match(await said({ email: null }), /email/);
    const other = await app().another();
    assert.equal(
      await said({ email: (await makeUser(other, undefined, { email: 'only-there@example.com' })).email }),
      'No User exists for input email',
    );
  });

  it('answers 401 without a token, 403 without manage_all, and 404 or 405 elsewhere, in the form of version 2', async () => {
    const form = ({ status, body }: Answer, name: string) => {
      assert.deepEqual([body.statusCode, body.name, typeof body.message], [status, name, 'string']);
      return status;
    };
    assert.equal(form(await app().send('POST', path, { json: {} }), 'UnauthorizedError'), 401);
    for (const scope of credentialScopes) {
      if (scope !== 'manage_all') assert.equal(form(await post({}, scope), 'ForbiddenError'), 403);
    }
    assert.equal(form(await app().send('GET', path), 'MethodNotAllowedError'), 405);
    for (const unknown of ['/api/1', '/api/1/users', '/api/1/invites', '/api/1/invites/send_invite_link']) {
      assert.equal(form(await app().send('GET', unknown), 'NotFoundError'), 404, unknown);
    }
    const headers = { authorization: `Bearer ${await app().bearer('manage_all')}`, 'content-type': 'text/plain' };
    assert.equal(form(await app().send('POST', path, { headers, raw: 'x' }), 'UnsupportedMediaTypeError'), 415);
  });

  it('refuses a call that waits when its credential is revoked meanwhile', async () => {
    const one = await app().another();
    const { services, account } = one;
    const user = await makeUser(one);
    const headers = { authorization: `Bearer ${await one.bearer('manage_all')}` };
    const { transaction } = services.store;
    const { mock: waiting } = mock.method(
      services.store,
      'transaction',
      async (work: Parameters<typeof transaction>[0]) => {
        waiting.restore();
        for (const { id } of await listCredentials(services, account))
          await revokeCredentialById(services, account, id);
        return transaction(work);
      },
    );
    const answer = await one.send('POST', path, { headers, json: { email: user.email } });
    assert.equal(answer.status, 401, answer.text);
    assert.equal((await services.store.users.findDetailed(account.id, user.id))?.invitationSentAt, null);
  });

  it('answers 429 beyond the limit of the credential', async () => {
    const one = await app().another({ 'limit.invite': '1/h' });
    const headers = { authorization: `Bearer ${await one.bearer('manage_all')}` };
    const call = () => one.send('POST', path, { headers, json: {} });
    assert.equal((await call()).status, 400);
    const answer = await call();
    assert.deepEqual([answer.status, answer.body.name], [429, 'TooManyRequestsError']);
    assert.match(String(answer.headers['retry-after']), /^[1-9]\d*$/);
  });
}

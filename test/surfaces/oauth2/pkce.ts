import assert from 'node:assert/strict';
import { it } from 'node:test';
import { isWhole } from '../../support/sample.ts';
import { codeChallenge, codeVerifier } from '../../support/sign-in.ts';
import { type AppOf, askTokens, assertError, codeForm, settle } from './asking.ts';

const verifiers: Readonly<Record<string, string | undefined>> = {
  right: codeVerifier,
  missing: undefined,
  empty: '',
  wrong: 'A'.repeat(43),
  'the challenge itself (plain)': codeChallenge,
  'too short': codeVerifier.slice(0, 42),
  'with a character added': `${codeVerifier}A`,
  'in another case': codeVerifier.toUpperCase(),
  'of characters that are not allowed': '='.repeat(43),
};

const withoutChallenge = { code_challenge: '', code_challenge_method: '' };

/** What a code without a challenge takes: RFC 9700 §2.1.1, a verifier for it is a downgrade attempt. */
const noVerifier = ['missing', 'empty'];

const cells: readonly [
  title: string,
  method: string,
  parameters: Record<string, string>,
  accepted: readonly string[],
][] = [
  ['a public client with a challenge', 'none', {}, ['right']],
  ['a client with a secret and a challenge', 'client_secret_basic', {}, ['right']],
  ['a client with a secret and no challenge', 'client_secret_basic', withoutChallenge, noVerifier],
];

/** T8: RFC 7636 §4.6. What a request may ask for is with the errors of the authorization endpoint. */
export function pkce(app: AppOf): void {
  for (const [index, [title, method, parameters, accepted]] of cells.entries()) {
    // All for a public client, whose only proof it is; a drill sends all for the others, too.
    const sent = Object.entries(verifiers).slice(0, index === 0 || isWhole ? undefined : 5);
    it(`${title}: of ${sent.length} verifiers ${accepted.join(' and ')} redeems (T8)`, async () => {
      const setting = await settle(app(), { token_endpoint_auth_method: method });
      for (const [name, verifier] of sent) {
        const code = await setting.code(parameters);
        const answer = await askTokens(app(), setting.client, codeForm(code, { code_verifier: verifier }));
        if (accepted.includes(name)) assert.equal(answer.status, 200, `${name}: ${answer.text}`);
        else assertError(answer, 400, 'invalid_grant');
      }
    });
  }

  it('a wrong verifier does not use the code up, and the right one still redeems it', async () => {
    const setting = await settle(app(), { token_endpoint_auth_method: 'none' });
    const code = await setting.code();
    const wrong = await askTokens(app(), setting.client, codeForm(code, { code_verifier: 'A'.repeat(43) }));
    assertError(wrong, 400, 'invalid_grant');
    assert.equal((await askTokens(app(), setting.client, codeForm(code))).status, 200);
  });
}

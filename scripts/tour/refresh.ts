import { expectJson } from './http.ts';
import { expect } from './surprise.ts';
import { basic, type Step, type TokenSet, type Tour } from './tour.ts';

export const refreshAtDocumentedDoor: Step = {
  title: 'Refresh, at the documented door',
  about: 'The refresh token is exchanged for a new set of tokens. It is used up; the answer carries its successor.',
  run: (tour) => refreshAt(tour, '/oidc/2/token'),
};

export const refreshAtStandardDoor: Step = {
  title: 'Refresh again, at the standard door',
  about: 'Both doors lead to the same tokens: the successor is good here too.',
  run: (tour) => refreshAt(tour, '/oauth2/token'),
};

async function refreshAt({ send, recall, learn }: Tour, path: string): Promise<void> {
  const { refresh_token } = recall('tokens');
  const answer = await send('POST', path, {
    headers: basic(recall('client')),
    form: { grant_type: 'refresh_token', refresh_token },
  });
  const tokens = expectJson<TokenSet>(answer, 200);
  expect(tokens.token_type === 'Bearer', 'the token type should have been Bearer');
  expect(tokens.refresh_token !== refresh_token, 'the refresh token should have been replaced');
  learn('tokens', tokens);
}

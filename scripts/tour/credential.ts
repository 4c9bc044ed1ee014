import { expectJson } from './http.ts';
import { expect } from './surprise.ts';
import type { Step } from './tour.ts';

export const getCredentialToken: Step = {
  title: 'A token for the API credential',
  about: 'A program that manages the account exchanges its credential pair for an access token.',
  run: async ({ send, demo, learn }) => {
    const answer = await send('POST', '/auth/oauth2/v2/token', {
      json: { grant_type: 'client_credentials', ...demo.credential },
    });
    const { access_token, token_type } = expectJson<{ access_token: string; token_type: string }>(answer, 200);
    expect(token_type === 'bearer', 'the token type should have been bearer');
    learn('credentialToken', access_token);
  },
};

import { expectJson } from './http.ts';
import { expect } from './surprise.ts';
import { basic, bearer, type Step, type Tour } from './tour.ts';

export const checkToken: Step = {
  title: 'Check the access token',
  about: 'The client asks what its token is good for (RFC 7662).',
  run: async (tour) => {
    expect(await isActive(tour), 'the access token should be active');
  },
};

export const readUserinfo: Step = {
  title: 'Ask who the user is',
  about: 'With the access token the client reads what the scopes allow it to know.',
  run: async ({ send, recall, demo }) => {
    const answer = await send('GET', '/oauth2/userinfo', { headers: bearer(recall('tokens').access_token) });
    const { email } = expectJson<{ email: string }>(answer, 200);
    expect(email === demo.user.email, 'these are the claims of another user');
  },
};

export const endGrant: Step = {
  title: 'End it',
  about: 'Revoking the refresh token ends the grant: the access token is not active any more either (RFC 7009).',
  run: async (tour) => {
    const answer = await tour.send('POST', '/oauth2/revoke', {
      headers: basic(tour.recall('client')),
      form: { token: tour.recall('tokens').refresh_token, token_type_hint: 'refresh_token' },
    });
    expect(answer.status === 200, `the answer should have been 200, and it was ${answer.status}`);
    expect(!(await isActive(tour)), 'the access token should not be active any more');
  },
};

async function isActive({ send, recall }: Tour): Promise<boolean> {
  const answer = await send('POST', '/oauth2/introspect', {
    headers: basic(recall('client')),
    form: { token: recall('tokens').access_token },
  });
  return expectJson<{ active: boolean }>(answer, 200).active;
}

import { type Answer, expectJson } from './http.ts';
import { expect } from './surprise.ts';
import { basic, type Step } from './tour.ts';

export const delegateSignIn: Step = {
  title: 'Deprecated: another form asks whether a password is right',
  about:
    'Old integrations call with the API key of the account, and find the answers that they know. Each answer says that ' +
    'it is deprecated, and what replaces it.',
  run: async ({ send, demo }) => {
    const { email, password } = demo.user;
    const query = new URLSearchParams({ api_key: demo.api_key, email, password });
    const answer = await send('GET', `/api/v1/delegated_auth?${query}`);
    expectDeprecated(answer);
    expect(answer.text.includes('<authenticated>true</authenticated>'), 'the password should have been found right');
  },
};

export const makeInviteLink: Step = {
  title: 'Deprecated: an invite link',
  about: 'A link with which our new colleague could choose another password, once and within 72 hours.',
  run: async ({ send, recall, demo }) => {
    const json = { api_key: demo.api_key, email: recall('user').email };
    const answer = await send('POST', '/api/v3/invites/get_invite_link', { json });
    expectDeprecated(answer);
    const [link = ''] = expectJson<{ data: string[] }>(answer, 200).data;
    expect(URL.canParse(link), 'the answer should have held a link');
  },
};

export const readUserAsXml: Step = {
  title: 'Deprecated: a user as XML',
  about: 'The same user as the management API knows it, for programs that were written for XML.',
  run: async ({ send, recall, demo }) => {
    const { id, email } = recall('user');
    const headers = { ...basic({ client_id: demo.api_key, client_secret: 'x' }), accept: 'application/xml' };
    const answer = await send('GET', `/users/${id}.xml`, { headers });
    expectDeprecated(answer);
    expect(answer.text.includes(`<email>${email}</email>`), 'the answer should have held the user');
  },
};

/** RFC 9745 §2: the time since when, and the successor. */
function expectDeprecated({ status, headers }: Answer): void {
  expect(status === 200, `the answer should have been 200, and it was ${status}`);
  expect(/^@\d+$/.test(headers.get('deprecation') ?? ''), 'the answer should say since when it is deprecated');
  expect(/rel="successor-version"/.test(headers.get('link') ?? ''), 'the answer should name its successor');
}

/**
 * In what order a refresh is checked (docs/document-gaps.md#refresh-at-the-documented-door): of two faults in one
 * request, the one that comes first is answered.
 */

import assert from 'node:assert/strict';
import { before, it } from 'node:test';
import { grantAccess } from '../../../src/domain/users/access.ts';
import { basic, type TestApp } from '../../support/app.ts';
import type { Answer } from '../../support/conforms.ts';
import { setUser } from '../../support/users.ts';
import { assertRefusal, type SignedIn, signedIn, tokenPath } from './door.ts';

/** What is wrong with the user behind the refresh token. */
interface Standing {
  readonly locked: boolean;
  readonly unassigned: boolean;
}

interface Draft {
  mediaType: string;
  authorization: string | null;
  readonly pairs: [string, string][];
}

interface Fault {
  readonly name: string;
  readonly answer: readonly [status: number, error: string, description: string];
  /** Puts the fault into the request; faults of the user are in the choice of the user instead. */
  spoil?(draft: Draft): void;
  readonly standing?: keyof Standing;
}

function put(draft: Draft, name: string, value: string): void {
  const pair = draft.pairs.find(([one]) => one === name);
  if (pair) pair[1] = value;
  else draft.pairs.push([name, value]);
}

/** In the order of the checks. */
const faults: readonly Fault[] = [
  {
    name: 'media type',
    answer: [400, 'invalid_request', 'Content-Type must be application/x-www-form-urlencoded'],
    spoil: (draft) => {
      draft.mediaType = 'text/plain';
    },
  },
  {
    name: 'duplicate',
    answer: [400, 'invalid_request', 'x is given twice'],
    spoil: (draft) => {
      draft.pairs.push(['x', '1'], ['x', '2']);
    },
  },
  {
    name: 'grant_type',
    answer: [400, 'unsupported_grant_type', 'unsupported grant_type requested (password)'],
    spoil: (draft) => put(draft, 'grant_type', 'password'),
  },
  {
    name: 'form of the Authorization header',
    answer: [400, 'invalid_request', 'invalid authorization header value format'],
    spoil: (draft) => {
      draft.authorization = 'Basic !!!';
    },
  },
  {
    name: 'client',
    answer: [400, 'invalid_request', 'Resource not found'],
    spoil: (draft) => put(draft, 'client_id', 'unknown'),
  },
  {
    name: 'secret',
    answer: [401, 'invalid_request', 'Authentication Failed'],
    spoil: (draft) => put(draft, 'client_secret', 'wrong'),
  },
  {
    name: 'method',
    answer: [401, 'invalid_request', 'Authentication Failed'],
    spoil: (draft) => {
      draft.authorization ??= basic(draft.pairs.find(([name]) => name === 'client_id')?.[1] ?? '', 'x').authorization;
    },
  },
  {
    name: 'refresh_token',
    answer: [400, 'invalid_request', 'refresh_token is missing'],
    spoil: (draft) => put(draft, 'refresh_token', ''),
  },
  { name: 'user', answer: [401, 'invalid_request', 'Access is unauthorized: user is locked'], standing: 'locked' },
  { name: 'access', answer: [401, 'invalid_request', 'Access is unauthorized'], standing: 'unassigned' },
];

export function refreshTokenOrder(app: () => TestApp): void {
  const held = new Map<string, SignedIn>();
  const keyOf = ({ locked, unassigned }: Standing) => `${locked} ${unassigned}`;

  before(async () => {
    for (const locked of [false, true]) {
      for (const unassigned of [false, true]) {
        const one = await signedIn(app(), { token_endpoint_auth_method: 'client_secret_post' });
        const { services, account } = app();
        if (locked) await setUser(services, account, one.user.id, { status: 'locked' });
        // Without the domain's verb, which would end the grant too.
        if (unassigned) await services.store.access.revoke(account.id, one.client.app_id, { userId: one.user.id });
        held.set(keyOf({ locked, unassigned }), one);
      }
    }
  });

  async function send(wrong: readonly Fault[]): Promise<Answer> {
    const has = (standing: keyof Standing) => wrong.some((fault) => fault.standing === standing);
    const one = held.get(keyOf({ locked: has('locked'), unassigned: has('unassigned') }));
    assert.ok(one);
    const { client, tokens } = one;
    const good = { grant_type: 'refresh_token', refresh_token: tokens.refresh_token, client_id: client.client_id };
    const draft: Draft = {
      mediaType: 'application/x-www-form-urlencoded',
      authorization: null,
      pairs: Object.entries({ ...good, client_secret: client.client_secret ?? '' }),
    };
    for (const fault of wrong) fault.spoil?.(draft);
    const headers = {
      'content-type': draft.mediaType,
      ...(draft.authorization !== null && { authorization: draft.authorization }),
    };
    return app().send('POST', tokenPath, { headers, raw: String(new URLSearchParams(draft.pairs)) });
  }

  for (const [index, first] of faults.entries()) {
    it(`answers only the ${first.name}, before each later reason`, async () => {
      const [status, error, description] = first.answer;
      assertRefusal(await send([first]), status, error, description, first.name);
      for (const later of faults.slice(index + 1)) {
        assertRefusal(await send([first, later]), status, error, description, `${first.name} and ${later.name}`);
      }
      // All that come later at once.
      assertRefusal(await send(faults.slice(index)), status, error, description, `${first.name} and all later`);
    });
  }

  it('answers 200 once everything is right: the refusals used nothing up', async () => {
    assert.equal((await send([])).status, 200);
    const both = held.get(keyOf({ locked: true, unassigned: true }));
    assert.ok(both);
    const { services, account } = app();
    await setUser(services, account, both.user.id, { status: 'active' });
    await grantAccess(services, account, both.client.app_id, { user: both.user.email ?? '' });
    const { client_id, client_secret = '' } = both.client;
    const form = { grant_type: 'refresh_token', refresh_token: both.tokens.refresh_token, client_id, client_secret };
    assert.equal((await app().send('POST', tokenPath, { form })).status, 200);
  });
}

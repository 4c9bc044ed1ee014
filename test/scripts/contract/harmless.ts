/** Changes that no client notices unless it asks for what is new, over several surfaces. */

import type { Planted } from './plant.ts';

const json = 'content application/json schema';

/** An operation that a release might add. */
const operation = (operationId: string) => ({
  operationId,
  tags: ['Users'],
  summary: 'A new operation',
  security: [{ bearer: ['manage_all'] }],
  responses: { 204: { description: 'Done.' } },
});

export const harmless: readonly Planted[] = [
  {
    surface: 'api-2',
    what: 'a new path',
    plant: (draft) => draft.add('paths', { '/api/2/users/{id}/archive': { post: operation('archiveUser') } }),
  },
  {
    surface: 'api-2',
    what: 'a new operation on a path',
    plant: (draft) => draft.add('paths /api/2/users/{id}/unlock', { delete: operation('lockUser') }),
  },
  {
    surface: 'api-2',
    what: 'a new optional parameter',
    plant: (draft) =>
      draft.add('paths /api/2/users get parameters', { name: 'nickname', in: 'query', schema: { type: 'string' } }),
  },
  {
    surface: 'api-2',
    what: 'a new optional header of a request',
    plant: (draft) =>
      draft.add('paths /api/2/users/{id} get parameters', {
        name: 'If-None-Match',
        in: 'header',
        schema: { type: 'string' },
      }),
  },
  {
    surface: 'api-2',
    what: 'a new optional member of a request',
    plant: (draft) =>
      draft.add(`paths /api/2/hooks post requestBody ${json} properties`, {
        label: { type: 'string', maxLength: 50, description: 'A label.' },
      }),
  },
  {
    surface: 'api-2',
    what: 'a required member of a request becomes optional',
    plant: (draft) => draft.without(`paths /api/2/hooks post requestBody ${json} required`, 'function'),
  },
  {
    surface: 'api-2',
    what: 'a longer bound in a request',
    plant: (draft) => draft.set('paths /api/2/users get parameters samaccountname schema maxLength', 1024),
  },
  {
    surface: 'api-2',
    what: 'a wider range in a request',
    plant: (draft) => draft.set(`paths /api/2/hooks post requestBody ${json} properties timeout maximum`, 30),
  },
  {
    surface: 'api-2',
    what: 'a parameter takes null and numbers too',
    plant: (draft) => draft.set('paths /api/2/users get parameters directory_id schema type', ['string', 'integer']),
  },
  {
    surface: 'api-2',
    what: 'a new alternative of a request',
    plant: (draft) =>
      draft.add(`paths /api/2/hooks post requestBody ${json} properties env_vars items oneOf`, { type: 'boolean' }),
  },
  {
    surface: 'api-2',
    what: 'a new member of an answer',
    plant: (draft) =>
      draft.add(`paths /api/2/users/{id} get responses 200 ${json} properties`, {
        nickname: { type: 'string', maxLength: 50, description: 'What friends say.' },
      }),
  },
  {
    surface: 'api-2',
    what: 'a new member of an answer that is always there',
    plant: (draft) => {
      draft.add(`paths /api/2/apps/{id} get responses 200 ${json} properties`, { rank: { type: 'integer' } });
      draft.add(`paths /api/2/apps/{id} get responses 200 ${json} required`, 'rank');
    },
  },
  {
    surface: 'api-2',
    what: 'a shorter bound in an answer',
    plant: (draft) => draft.set('paths /api/2/roles get responses 200 content application/json schema maxItems', 100),
  },
  {
    surface: 'api-2',
    what: 'a member of an answer is never null',
    plant: (draft) =>
      draft.set(`paths /api/2/users get responses 200 ${json} items properties activated_at type`, 'string'),
  },
  {
    surface: 'api-2',
    what: 'a new header of an answer',
    plant: (draft) =>
      draft.add('paths /api/2/roles get responses 200 headers', {
        'X-Region': { description: 'Where it was made.', schema: { type: 'string' } },
      }),
  },
  {
    surface: 'api-2',
    what: 'a new error of an operation',
    plant: (draft) => draft.add('paths /api/2/roles get responses', { 451: { description: 'Not in this country.' } }),
  },
  {
    surface: 'api-2',
    what: 'one more scope permits an operation',
    plant: (draft) => draft.add('paths /api/2/events get security', { bearer: ['read_events'] }),
  },
  {
    surface: 'api-2',
    what: 'an operation is deprecated',
    plant: (draft) => draft.add('paths /api/2/policies get', { deprecated: true, 'x-sunset': '2999-01-01' }),
  },
  {
    surface: 'api-2',
    what: 'a parameter that several operations share is written out in one',
    plant: (draft) => draft.writeOut('paths /api/2/policies get parameters 0'),
  },
  {
    surface: 'api-2',
    what: 'parameters, alternatives and values in another order',
    plant: (draft) => {
      for (const place of [
        'paths /api/2/users get parameters',
        `paths /api/2/hooks post requestBody ${json} properties env_vars items oneOf`,
        `paths /api/2/hooks/{id} get responses 200 ${json} properties status enum`,
        'paths /api/2/roles get security',
      ]) {
        draft.set(place, (draft.read(place) as []).toReversed());
      }
    },
  },
  {
    surface: 'api-2',
    what: 'a second tag',
    plant: (draft) => draft.add('paths /api/2/apps get tags', 'Applications'),
  },
  {
    surface: 'oidc-2',
    what: 'another description of an operation',
    plant: (draft) => draft.set('paths /oidc/2/register post description', 'Registers a client.'),
  },
  {
    surface: 'oidc-2',
    what: 'another summary',
    plant: (draft) => draft.set('paths /oidc/2/register post summary', 'Make a client'),
  },
  {
    surface: 'oidc-2',
    what: 'another example',
    plant: (draft) =>
      draft.set('paths /oidc/2/token post responses 200 content application/json', {
        ...(draft.read('paths /oidc/2/token post responses 200 content application/json') as object),
        examples: { other: { value: { access_token: 'other' } } },
      }),
  },
  {
    surface: 'oidc-2',
    what: 'another title, version and description of the surface',
    plant: (draft) => draft.add('info', { title: 'Documented', version: '9.9.9', description: 'Other words.' }),
  },
  {
    surface: 'oidc-2',
    what: 'a longer list in a request',
    plant: (draft) => draft.set(`paths /oidc/2/register post requestBody ${json} properties grant_types maxItems`, 50),
  },
  {
    surface: 'auth-2',
    what: 'one more way to authenticate',
    plant: (draft) => draft.add('paths /auth/rate_limit get security', { credentialBasic: [] }),
  },
  {
    surface: 'auth-2',
    what: 'one more form of a request',
    plant: (draft) =>
      draft.add('paths /auth/oauth2/v2/token post requestBody content', {
        'application/cbor': { schema: { type: 'object' } },
      }),
  },
  {
    surface: 'auth-2',
    what: 'a new component',
    plant: (draft) => draft.add('components schemas', { Unused: { type: 'object', description: 'For later.' } }),
  },
  {
    surface: 'auth-2',
    what: 'one more server',
    plant: (draft) => draft.add('servers', { url: 'https://eu.example.com', description: 'The same in Europe.' }),
  },
  {
    surface: 'xml',
    what: 'an extension',
    plant: (draft) => draft.set('paths /users.xml get x-owner', 'the team'),
  },
  {
    surface: 'xml',
    what: 'a new tag and other words about one',
    plant: (draft) => draft.set('tags', [{ name: 'Users', description: 'Other words.' }, { name: 'Groups' }]),
  },
  {
    surface: 'xml',
    what: 'members in another order',
    plant: (draft) => {
      const place = 'paths /users.xml post requestBody content application/xml schema properties';
      const members = { ...(draft.read(place) as Record<string, never>) };
      draft.set(place, Object.fromEntries(Object.entries(members).reverse()));
    },
  },
];

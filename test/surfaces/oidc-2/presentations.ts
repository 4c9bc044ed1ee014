/** Ways to present a client at the token endpoint, right and wrong (T5). */

import { basic } from '../../support/app.ts';

export interface Presentation {
  readonly authorization?: string;
  readonly form?: Readonly<Record<string, string>>;
}

/** The client's id and secret (for `none` one that it never got), and another client's secret. */
export interface Known {
  readonly id: string;
  readonly secret: string;
  readonly otherId: string;
  readonly otherSecret: string;
}

type Refusal = 'authentication' | 'header' | 'unknown';

export const answers = {
  authentication: [401, 'invalid_request', 'Authentication Failed'],
  header: [400, 'invalid_request', 'invalid authorization header value format'],
  unknown: [400, 'invalid_request', 'Resource not found'],
} as const satisfies Record<Refusal, readonly [number, string, string]>;

export const methods = ['client_secret_basic', 'client_secret_post', 'none', 'not named'] as const;
type Method = (typeof methods)[number];

const encoded = (text: string) => Buffer.from(text).toString('base64');
const percent = (text: string) =>
  [...text].map((one) => `%${one.charCodeAt(0).toString(16).padStart(2, '0')}`).join('');

/** Each way to present a client, with the methods that it serves; for all others it is `otherwise`. */
export const presentations: Readonly<
  Record<
    string,
    { readonly sent: (known: Known) => Presentation; readonly serves: readonly Method[]; readonly otherwise: Refusal }
  >
> = {
  'Basic, right': {
    sent: ({ id, secret }) => basic(id, secret),
    serves: ['client_secret_basic', 'not named'],
    otherwise: 'authentication',
  },
  'Basic, lower-case scheme': {
    sent: ({ id, secret }) => ({ authorization: `basic ${encoded(`${id}:${secret}`)}` }),
    serves: ['client_secret_basic', 'not named'],
    otherwise: 'authentication',
  },
  'Basic, percent-encoded halves (RFC 6749 §2.3.1)': {
    sent: ({ id, secret }) => basic(percent(id), percent(secret)),
    serves: ['client_secret_basic', 'not named'],
    otherwise: 'authentication',
  },
  'Basic, and the same client_id in the form': {
    sent: ({ id, secret }) => ({ ...basic(id, secret), form: { client_id: id } }),
    serves: ['client_secret_basic', 'not named'],
    otherwise: 'authentication',
  },
  'form, right': {
    sent: ({ id, secret }) => ({ form: { client_id: id, client_secret: secret } }),
    serves: ['client_secret_post', 'not named'],
    otherwise: 'authentication',
  },
  'client_id alone': { sent: ({ id }) => ({ form: { client_id: id } }), serves: ['none'], otherwise: 'authentication' },
  'client_id with an empty secret, which counts as left out (RFC 6749 §3.2)': {
    sent: ({ id }) => ({ form: { client_id: id, client_secret: '' } }),
    serves: ['none'],
    otherwise: 'authentication',
  },
  ...Object.fromEntries(
    Object.entries<(known: Known) => Presentation>({
      'Basic, wrong secret': ({ id }) => basic(id, 'wrong'),
      'Basic, empty secret': ({ id }) => basic(id, ''),
      "Basic, another client's secret": ({ id, otherSecret }) => basic(id, otherSecret),
      'Basic, a colon in the secret': ({ id, secret }) => basic(id, `${secret}:x`),
      'Basic, a colon before the secret': ({ id, secret }) => basic(id, `:${secret}`),
      'Basic, secret twice encoded': ({ id, secret }) => basic(id, encodeURIComponent(percent(secret))),
      'Basic, another client_id in the form': ({ id, secret, otherId }) => ({
        ...basic(id, secret),
        form: { client_id: otherId },
      }),
      'Basic and form, both right': ({ id, secret }) => ({
        ...basic(id, secret),
        form: { client_id: id, client_secret: secret },
      }),
      'Basic right, form secret wrong': ({ id, secret }) => ({
        ...basic(id, secret),
        form: { client_secret: 'wrong' },
      }),
      'Basic wrong, form right': ({ id, secret }) => ({
        ...basic(id, 'wrong'),
        form: { client_id: id, client_secret: secret },
      }),
      'form, wrong secret': ({ id }) => ({ form: { client_id: id, client_secret: 'wrong' } }),
      "form, another client's secret": ({ id, otherSecret }) => ({
        form: { client_id: id, client_secret: otherSecret },
      }),
      'form, a colon in the secret': ({ id, secret }) => ({ form: { client_id: id, client_secret: `${secret}:` } }),
      'form, secret percent-encoded twice': ({ id, secret }) => ({
        form: { client_id: id, client_secret: percent(secret) },
      }),
    }).map(([name, sent]) => [name, { sent, serves: [], otherwise: 'authentication' as const }]),
  ),
  ...Object.fromEntries(
    Object.entries<(known: Known) => Presentation>({
      'Basic, bad base64': ({ id, secret }) => ({ authorization: `Basic ${id}:${secret}` }),
      'Basic, no colon': ({ id }) => ({ authorization: `Basic ${encoded(id)}` }),
      'Bearer scheme': ({ secret }) => ({ authorization: `Bearer ${secret}` }),
      'bad header, right form': ({ id, secret }) => ({
        authorization: 'Basic %',
        form: { client_id: id, client_secret: secret },
      }),
    }).map(([name, sent]) => [name, { sent, serves: [], otherwise: 'header' as const }]),
  ),
  'nothing at all': { sent: () => ({}), serves: [], otherwise: 'unknown' },
  'a secret without client_id': {
    sent: ({ secret }) => ({ form: { client_secret: secret } }),
    serves: [],
    otherwise: 'unknown',
  },
  'Basic with an unknown client': { sent: ({ secret }) => basic('unknown', secret), serves: [], otherwise: 'unknown' },
};

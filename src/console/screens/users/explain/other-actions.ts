/** What can be changed about apps, policies and hooks. */

import { api, ifMatch } from '../../../api/api.ts';
import type { Schemas } from '../../../api/contract.ts';
import { newAppFields } from '../../apps/fields.ts';
import { bodyOf, definitionOf } from '../../hooks/definition.ts';
import { type About, type Action, done } from './action.ts';

/** Written over what is there now, which somebody may have changed since the explanation. */
async function changeApp(id: number, change: (app: Schemas['App']) => Schemas['AppUpdate']): Promise<null> {
  const { data, tag } = await api.get('/api/2/apps/{id}', { path: { id } });
  return api.put('/api/2/apps/{id}', { path: { id }, header: ifMatch(tag), body: change(data) }).then(done);
}

export function changeOfApp(
  { redirectUri }: About,
  id: number,
  body: Readonly<Record<string, unknown>>,
): Action | null {
  if ('policy_id' in body) {
    return {
      label: 'Remove the app’s policy',
      title: 'Remove the policy of the app?',
      words: 'For everybody who signs in to the app, the policy of a role or of the account counts instead.',
      scopes: [],
      act: () => changeApp(id, () => ({ policy_id: null })),
    };
  }
  if (redirectUri === null) return null;
  return {
    label: 'Register this redirect URI',
    title: 'Register the redirect URI?',
    words: `${redirectUri} is added to those of the app, and gets codes of its users. Make sure that it belongs to the app.`,
    scopes: [],
    act: () =>
      changeApp(id, ({ configuration: { redirect_uri: registered } }) => {
        const uris = registered === '' ? [] : registered.split('\n');
        return { configuration: { redirect_uri: [...uris, redirectUri].join('\n') } };
      }),
  };
}

export function createApp(): Action {
  return {
    label: 'Create an app',
    title: 'Create an app',
    words: 'The app gets a client id of its own, which whoever runs it has to configure.',
    scopes: [],
    fields: newAppFields,
    act: async (chosen) => {
      const { data } = await api.post('/api/2/apps', { body: chosen as unknown as Schemas['AppCreate'] });
      const { client_id: clientId, name, sso } = data;
      const secret = sso.client_secret === undefined ? [] : [['Client secret', sso.client_secret] as const];
      return { title: `${name} was created`, values: [['Client ID', clientId], ...secret], clientId };
    },
  };
}

export function changeOfPolicy(id: number, body: Readonly<Record<string, unknown>>): Action {
  const isFactor = 'otp_required' in body;
  const rule = isFactor ? 'demands a second factor' : 'lets passwords expire';
  const change = isFactor ? { otp_required: false } : { password_expiration_days: null };
  return {
    label: isFactor ? 'Demand no second factor' : 'Let passwords never expire',
    title: 'Change the policy?',
    words: `The policy no longer ${rule}, for everybody to whom it applies. This makes their accounts less safe.`,
    scopes: [],
    act: () => api.put('/api/2/policies/{id}', { path: { id }, body: change }).then(done),
  };
}

export function disableHook(id: string): Action {
  return {
    label: 'Disable the hook',
    title: 'Disable the hook?',
    words: 'It runs for nobody any more, whatever it protects from. It is kept, and can be enabled again.',
    scopes: [],
    act: async () => {
      const { data, tag } = await api.get('/api/2/hooks/{id}', { path: { id } });
      const body = bodyOf({ ...definitionOf(data), disabled: true });
      return api.put('/api/2/hooks/{id}', { path: { id }, header: ifMatch(tag), body }).then(done);
    },
  };
}

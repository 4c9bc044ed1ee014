import type { components, operations } from '../../../generated/api-2.ts';
import {
  changeSetting,
  type RemoteSetting,
  readSettings,
  requireSetting,
} from '../../domain/accounts/remote-settings.ts';
import { type ItemListing, pageOfItems } from '../../domain/page-of-items.ts';
import type { Handlers } from '../../http/operation.ts';
import type { Services } from '../../services.ts';

type SettingOperations = Pick<operations, 'listAccountSettings' | 'readAccountSetting' | 'updateAccountSetting'>;

const listing: ItemListing<RemoteSetting> = { fields: { name: ({ name }) => name }, keyOf: ({ name }) => name };

function represent(setting: RemoteSetting): components['schemas']['AccountSetting'] {
  const { name, value, fallback, form, allowed, meaning, isChangeable } = setting;
  const bounds = form.kind === 'whole_number' ? form : { least: null, most: null };
  return {
    name,
    value,
    default: fallback,
    kind: form.kind,
    values: form.kind === 'choice' ? form.values : null,
    minimum: bounds.least,
    maximum: bounds.most,
    allowed,
    description: meaning,
    changeable: isChangeable,
  };
}

export function accountSettings(services: Services): Handlers<SettingOperations> {
  return {
    /** GET /api/2/account-settings */
    listAccountSettings: async ({ list, origin: { account } }, respond) => {
      const settings = await readSettings(services, account);
      return respond(200, ...(await list.answer(async (query) => pageOfItems(settings, listing, query), represent)));
    },

    /** GET /api/2/account-settings/{name} */
    readAccountSetting: async ({ path, origin: { account } }, respond) =>
      respond(200, represent(await requireSetting(services, account, path.name))),

    /** PUT /api/2/account-settings/{name} */
    updateAccountSetting: async ({ path, body, origin: { account } }, respond) =>
      respond(200, represent(await changeSetting(services, account, path.name, body.value))),
  };
}

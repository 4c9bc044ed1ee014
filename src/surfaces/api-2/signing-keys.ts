import type { components, operations } from '../../../generated/api-2.ts';
import type { Account } from '../../domain/accounts/account.ts';
import { type DatedKey, datedKeys } from '../../domain/keys/dated-keys.ts';
import { rotateKeys } from '../../domain/keys/rotate-keys.ts';
import { type ItemListing, pageOfItems } from '../../domain/page-of-items.ts';
import type { Handlers } from '../../http/operation.ts';
import type { Services } from '../../services.ts';
import { optionalTime, time } from './represent-user.ts';

type KeyOperations = Pick<operations, 'listSigningKeys' | 'rotateSigningKeys' | 'replaceSigningKeys'>;

const listing: ItemListing<DatedKey> = {
  fields: {
    signs_from: ({ signsFrom }) => signsFrom,
    published_at: ({ publishedAt }) => publishedAt,
    alg: ({ alg }) => alg,
    state: ({ state }) => state,
  },
  keyOf: ({ kid }) => kid,
};

function represent(key: DatedKey): components['schemas']['SigningKey'] {
  return {
    kid: key.kid,
    alg: key.alg,
    state: key.state,
    rotation_step: key.step,
    published_at: time(key.publishedAt),
    signs_from: time(key.signsFrom),
    signs_until: optionalTime(key.signsUntil),
    retires_at: optionalTime(key.retiresAt),
  };
}

export function signingKeys({ store, clock, vault }: Services): Handlers<KeyOperations> {
  const services = { store, clock, vault };

  async function rotate(account: Account, emergency: boolean): Promise<components['schemas']['SigningKeyRotation']> {
    const { published } = await rotateKeys(services, account, { emergency });
    const keys = await datedKeys(services, account);
    const waiting = keys.filter(({ kid, state }) => state === 'next' && !published.includes(kid));
    return { published, waiting: waiting.map(({ kid }) => kid), keys: keys.map(represent) };
  }

  return {
    /** GET /api/2/signing-keys */
    listSigningKeys: async ({ list, origin: { account } }, respond) =>
      respond(
        200,
        ...(await list.answer(
          async (query) => pageOfItems(await datedKeys(services, account), listing, query),
          represent,
        )),
      ),

    /** POST /api/2/signing-keys/rotate */
    rotateSigningKeys: async ({ origin: { account } }, respond) => respond(200, await rotate(account, false)),

    /** POST /api/2/signing-keys/emergency */
    replaceSigningKeys: async ({ origin: { account } }, respond) => respond(200, await rotate(account, true)),
  };
}

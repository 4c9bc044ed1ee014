import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { setAccount } from '../../../src/domain/accounts/accounts.ts';
import { claimsMapping } from '../../../src/domain/accounts/claims-mapping.ts';
import { createCustomAttribute } from '../../../src/domain/users/custom-attributes.ts';
import { sampledDatabases } from '../../support/sample.ts';
import { createTestAccount, type TestServices, testServices } from '../../support/services.ts';
import { openTestStore, type TestStore } from '../../support/stores.ts';

describe('the setting claims_mapping', () => {
  it('is a list of claims, each with the attribute that it comes from', () => {
    const read = claimsMapping.parse(' phone_number=phone , address.country=custom_attributes.land,nickname=nick-1_x,');
    assert.deepEqual(
      [...(read ?? [])],
      [
        ['nickname', 'nick-1_x'],
        ['phone_number', 'phone'],
        ['address.country', 'custom_attributes.land'],
      ],
    );
    assert.deepEqual(claimsMapping.parse(''), new Map());
  });

  for (const [title, text] of [
    ['an unknown claim', 'shoe_size=shoes'],
    ['a claim of its own', 'email=mail'],
    ['a member of every object', '__proto__=a'],
    ['address as a whole', 'address=street'],
    ['a claim twice', 'nickname=a,nickname=b'],
    ['no attribute', 'nickname='],
    ['no claim', '=nick'],
    ['another separator', 'nickname=a;gender=b'],
    ['a name that no attribute can have', 'nickname=nick name'],
    ['whether a number is verified, without the number', 'phone_number_verified=checked'],
  ] as const) {
    it(`refuses ${title}`, () => assert.equal(claimsMapping.parse(text), undefined));
  }

  for (const kind of sampledDatabases) {
    describe(`on ${kind}`, () => {
      let opened: TestStore;
      let services: TestServices;
      before(async () => {
        opened = await openTestStore(kind);
        services = await testServices(opened.store);
      });
      after(() => opened.dispose());

      it('names attributes that exist, are texts, and are told by no scope of their own', async () => {
        const account = await createTestAccount(services);
        const set = (text: string) => setAccount(services, account.subdomain, { claims_mapping: text });
        for (const name of ['nick', 'id', 'email', 'username', 'roles', 'group_id', 'custom_attributes.nick']) {
          const wanted = { code: 'value_invalid', message: new RegExp(`^${name} cannot be mapped`) };
          await assert.rejects(set(`nickname=${name}`), wanted, name);
        }
        for (const shortname of ['nick', 'email']) {
          await createCustomAttribute(services, account, { name: shortname, shortname });
        }
        await assert.rejects(set('nickname=email'), /cannot be mapped/, 'the built-in one takes precedence');
        for (const name of ['nick', 'custom_attributes.nick', 'custom_attributes.email', 'title', 'lastname']) {
          const { settings } = await set(`nickname=${name}`);
          assert.deepEqual([...settings.claimsMapping], [['nickname', name]]);
        }
      });
    });
  }
});

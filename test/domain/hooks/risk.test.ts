import assert from 'node:assert/strict';
import { describe, it, test } from 'node:test';
import { locate } from '../../../src/domain/hooks/location.ts';
import { addSignIn, assessRisk, riskWeights, type SignInTraits } from '../../../src/domain/hooks/risk.ts';
import { describeSignIn, deviceOf, networkOf, rememberSignIn } from '../../../src/domain/hooks/sign-in-history.ts';
import type { SignInHistory } from '../../../src/store/sign-in-histories.ts';
import { newUser } from '../../store/samples.ts';
import { createTestAccount } from '../../support/services.ts';
import { onServices } from '../subject.ts';

const hour = 3_600_000;
const noon = Date.UTC(2026, 10, 21, 12);
const usual: SignInTraits = { at: noon, device: 'laptop', network: 'home', country: 'CH' };

function historyOf(count: number, traits: SignInTraits = usual): SignInHistory {
  let history: SignInHistory | null = null;
  for (let day = count; day > 0; day -= 1) history = addSignIn(history, { ...traits, at: traits.at - day * 24 * hour });
  return history ?? assert.fail();
}

describe('risk', () => {
  const reasonsOf = (traits: Partial<SignInTraits>, failures = 0, history: SignInHistory | null = historyOf(10)) =>
    assessRisk(history, { ...usual, ...traits }, failures).reasons;

  it('has no reasons for an ordinary sign-in', () => {
    assert.deepEqual(assessRisk(historyOf(10), usual, 0), { score: 0, reasons: [] });
  });

  it('names each reason, with its weight', () => {
    const cases = [
      [{ device: 'other' }, 0, 'new_device'],
      [{ network: 'other' }, 0, 'new_network'],
      [{ country: 'FR' }, 0, 'new_country'],
      [{ at: noon + 12 * hour }, 0, 'unusual_hour'],
      [{}, 3, 'recent_failures'],
    ] as const;
    for (const [traits, failures, reason] of cases) {
      const expected = { score: riskWeights[reason], reasons: [reason] };
      assert.deepEqual(assessRisk(historyOf(10), { ...usual, ...traits }, failures), expected);
    }
  });

  it('finds nothing new without a history', () => {
    assert.deepEqual(reasonsOf({ device: 'x', network: 'y', country: 'FR' }, 0, null), []);
    assert.deepEqual(reasonsOf({}, 3, null), ['recent_failures']);
  });

  it('counts another country within the hour as impossible travel, and later not', () => {
    const both = addSignIn(addSignIn(null, { ...usual, country: 'FR', at: noon - 48 * hour }), { ...usual, at: noon });
    const from = (minutes: number, country: string | null) =>
      reasonsOf({ country, at: noon + minutes * 60_000 }, 0, both);
    assert.deepEqual(from(59, 'FR'), ['impossible_travel']);
    assert.deepEqual(from(60, 'FR'), []);
    assert.deepEqual(from(1, 'US'), ['new_country', 'impossible_travel']);
    assert.deepEqual(from(1, 'CH'), []);
    assert.deepEqual(from(1, null), []);
  });

  it('knows usual hours after ten sign-ins, with two hours around and across midnight', () => {
    assert.deepEqual(reasonsOf({ at: noon + 12 * hour }, 0, historyOf(9)), []);
    assert.deepEqual(reasonsOf({ at: noon + 2 * hour }), []);
    assert.deepEqual(reasonsOf({ at: noon - 2 * hour }), []);
    assert.deepEqual(reasonsOf({ at: noon + 3 * hour }), ['unusual_hour']);
    const late = historyOf(10, { ...usual, at: Date.UTC(2026, 10, 21, 23) });
    assert.deepEqual(reasonsOf({ at: Date.UTC(2026, 10, 22, 1) }, 0, late), []);
  });

  it('is 100 at most', () => {
    const all = { device: 'x', network: 'y', country: 'US', at: noon + 12 * hour };
    const history = addSignIn(historyOf(10), { ...usual, at: noon + 11.5 * hour });
    const risk = assessRisk({ ...history, hours: historyOf(10).hours }, all, 9);
    assert.deepEqual(risk, { score: 100, reasons: Object.keys(riskWeights) });
  });

  it('remembers the last twenty of each kind', () => {
    let history: SignInHistory | null = null;
    for (let index = 0; index < 50; index += 1) history = addSignIn(history, { ...usual, device: `d${index}` });
    assert.equal(history?.devices.length, 20);
    assert.equal(history?.devices[0]?.[0], 'd49');
    assert.equal(history?.count, 50);
    assert.ok(JSON.stringify(historyOf(100)).length < 500);
  });
});

test('a network is what a provider assigns to one customer, however the address is written', () => {
  assert.equal(networkOf('198.51.100.7'), '198.51.100');
  assert.equal(networkOf('::ffff:198.51.100.7'), '198.51.100');
  assert.equal(networkOf('2001:DB8:0abc:1::7'), '2001:db8:abc');
  assert.equal(networkOf('2001:db8::7'), '2001:db8:0');
  assert.equal(networkOf('::1'), '0:0:0');
  assert.equal(networkOf('no address'), '');
});

test('an updated browser is the same device', () => {
  const agent = (version: string) => `Mozilla/5.0 (X11; Linux x86_64) Chrome/${version} Safari/537.36`;
  assert.equal(deviceOf(agent('120.0.0.1')), deviceOf(agent('121.2')));
  assert.notEqual(deviceOf(agent('120.0')), deviceOf('Mozilla/5.0 (X11) Firefox/120.0'));
});

onServices('sign-ins that are remembered', (subject) => {
  test('are digests under a key of the account and are removed with the user', async () => {
    const { services } = subject;
    const geoip = { ...services.geoip, countryOf: async () => 'CH' };
    const account = await createTestAccount(services);
    const other = await createTestAccount(services);
    const { id: userId } = await newUser(services.store, account.id);
    const request = { address: '198.51.100.7', userAgent: 'Firefox/1' };
    const traits = await describeSignIn({ ...services, geoip }, account, request);
    assert.notEqual((await describeSignIn({ ...services, geoip }, other, request)).network, traits.network);
    for (let times = 0; times < 2; times += 1) {
      await services.store.transaction((tx) => rememberSignIn(tx, account, userId, traits));
    }
    const kept = await services.store.signInHistories.find(account.id, userId);
    assert.equal(kept?.history.count, 2);
    assert.doesNotMatch(JSON.stringify(kept), /198\.51|Firefox/);
    assert.deepEqual(assessRisk(kept?.history ?? null, traits, 0).reasons, []);
    await services.store.users.remove(account.id, userId, 1_000);
    assert.equal(await services.store.signInHistories.find(account.id, userId), null);
  });

  test('a location is the address and its country', async () => {
    const countryOf = async (address: string) => (address === '198.51.100.7' ? 'CH' : null);
    const geoip = { countryOf, examine: async () => ({ file: 'none', reason: null }) };
    assert.deepEqual(await locate({ geoip }, '198.51.100.7'), { ip: '198.51.100.7', country_code: 'CH' });
    assert.deepEqual(await locate({ geoip }, '10.0.0.1'), { ip: '10.0.0.1', country_code: null });
  });
});

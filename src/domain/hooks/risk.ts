/**
 * How much a sign-in differs from the user's earlier ones. Every reason has a weight, and the score is their sum, at
 * most 100: authors can see the reasons and weigh them differently.
 */

import type { SignInHistory } from '../../store/sign-in-histories.ts';
import type { Milliseconds } from '../../store/time.ts';
import { hour } from '../durations.ts';

/** The compared traits. Device and network are digests: the stored values reveal nobody's browser or home. */
export interface SignInTraits {
  readonly at: Milliseconds;
  readonly device: string;
  readonly network: string;
  /** ISO 3166-1 alpha-2; null if unknown. */
  readonly country: string | null;
}

/** The reasons in output order, and the weight of each. */
export const riskWeights = {
  /** The browser, ignoring its version, was not seen before. */
  new_device: 20,
  /** The network (/24 of IPv4, /48 of IPv6) was not seen before. */
  new_network: 10,
  /** The country is known and was not seen before. */
  new_country: 25,
  /** After ten sign-ins or more: none of them was within two hours of this time of day. */
  unusual_hour: 10,
  /** Three or more wrong passwords since the last right one. */
  recent_failures: 15,
  /** The last sign-in less than an hour ago was from another country. */
  impossible_travel: 40,
} as const;

type RiskReason = keyof typeof riskWeights;

interface Risk {
  /** 0 to 100. */
  readonly score: number;
  readonly reasons: readonly RiskReason[];
}

const enoughForHours = 10;
const hoursAround = 2;
const manyFailures = 3;
/** How many values of each kind are kept, most recent first. */
const mostRemembered = 20;

type Seen = readonly (readonly [value: string, at: Milliseconds])[];

function hourOf(at: Milliseconds): number {
  return new Date(at).getUTCHours();
}

function isNew(seen: Seen, value: string): boolean {
  return seen.length > 0 && !seen.some(([known]) => known === value);
}

function isUnusualHour({ count, hours }: SignInHistory, at: Milliseconds): boolean {
  if (count < enoughForHours) return false;
  const offsets = Array.from({ length: 2 * hoursAround + 1 }, (_, index) => index - hoursAround);
  return offsets.every((offset) => (hours[(hourOf(at) + offset + 24) % 24] ?? 0) === 0);
}

function isImpossibleTravel({ countries }: SignInHistory, { country, at }: SignInTraits): boolean {
  const [last] = countries;
  return country !== null && last !== undefined && last[0] !== country && at - last[1] < hour;
}

/** `history` is null before the first recorded sign-in: then nothing counts as new. */
export function assessRisk(history: SignInHistory | null, traits: SignInTraits, recentFailures: number): Risk {
  const holds: Readonly<Record<RiskReason, boolean>> = {
    new_device: history !== null && isNew(history.devices, traits.device),
    new_network: history !== null && isNew(history.networks, traits.network),
    new_country: history !== null && traits.country !== null && isNew(history.countries, traits.country),
    unusual_hour: history !== null && isUnusualHour(history, traits.at),
    recent_failures: recentFailures >= manyFailures,
    impossible_travel: history !== null && isImpossibleTravel(history, traits),
  };
  const reasons = (Object.keys(riskWeights) as RiskReason[]).filter((reason) => holds[reason]);
  const sum = reasons.reduce((total, reason) => total + riskWeights[reason], 0);
  return { score: Math.min(100, sum), reasons };
}

function withSeen(seen: Seen, value: string, at: Milliseconds): Seen {
  return [[value, at] as const, ...seen.filter(([known]) => known !== value)].slice(0, mostRemembered);
}

/** The history with one more sign-in. */
export function addSignIn(
  history: SignInHistory | null,
  { at, device, network, country }: SignInTraits,
): SignInHistory {
  const known = history ?? { count: 0, devices: [], networks: [], countries: [], hours: Array<number>(24).fill(0) };
  return {
    count: known.count + 1,
    devices: withSeen(known.devices, device, at),
    networks: withSeen(known.networks, network, at),
    countries: country === null ? known.countries : withSeen(known.countries, country, at),
    hours: known.hours.map((times, index) => (index === hourOf(at) ? times + 1 : times)),
  };
}

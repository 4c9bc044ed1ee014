import { randomInt } from 'node:crypto';

/** The seed of all generated requests: the one given, so that a failure can be seen again, or a new one. */
export function readSeed(): number {
  const given = process.env['PROPERTY_SEED'];
  if (given === undefined) return randomInt(2 ** 31);
  if (!/^-?\d{1,10}$/.test(given)) throw new Error(`PROPERTY_SEED must be a whole number, not ${given}`);
  return Number(given);
}

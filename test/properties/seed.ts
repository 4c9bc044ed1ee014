import { randomInt } from 'node:crypto';
import { isWhole } from '../support/sample.ts';

/** That of `npm test`, whose failures are those of a change and not of a draw. */
const sampledSeed = 20_261_125;

/** The seed of a drill: the one given, so that a failure can be seen again, or a new one. */
export function drawSeed(): number {
  const given = process.env['PROPERTY_SEED'];
  if (given === undefined) return randomInt(2 ** 31);
  if (!/^-?\d{1,10}$/.test(given)) throw new Error(`PROPERTY_SEED must be a whole number, not ${given}`);
  return Number(given);
}

/** The seed of a test of generated values: always the same in `npm test`, drawn in a drill. */
export function readSeed(): number {
  return isWhole || process.env['PROPERTY_SEED'] !== undefined ? drawSeed() : sampledSeed;
}

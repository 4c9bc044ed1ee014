import { randomBytes } from 'node:crypto';
import type { Random } from '../services.ts';

/** The machine's cryptographic generator. */
export const systemRandom: Random = { bytes: (size) => randomBytes(size) };

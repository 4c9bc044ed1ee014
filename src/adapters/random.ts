import { randomFillSync } from 'node:crypto';
import type { Random } from '../services.ts';

/** Bytes asked for at once: a call costs ten times what the bytes of a token do. */
const poolBytes = 8192;
const pool = Buffer.alloc(poolBytes);
let used = poolBytes;

/** The machine's cryptographic generator. No byte is given twice, and none that was given stays here. */
export const systemRandom: Random = {
  bytes: (size) => {
    if (size > poolBytes) return randomFillSync(Buffer.alloc(size));
    if (used + size > poolBytes) {
      randomFillSync(pool);
      used = 0;
    }
    const bytes = Buffer.from(pool.subarray(used, used + size));
    pool.fill(0, used, used + size);
    used += size;
    return bytes;
  },
};

import { randomFillSync } from 'node:crypto';
import type { Random } from '../services.ts';

/** Number of bytes fetched at once: a call costs ten times as much as the bytes of a token. */
const poolBytes = 8192;
const pool = Buffer.alloc(poolBytes);
let used = poolBytes;

/** The machine's cryptographic generator. No byte is given out twice, and bytes that were given out are erased here. */
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

/** Calls of administrators: tokens that are bound to a key, with the proof that each of them needs (RFC 9449 §7). */

import { administratorScopes } from '../../src/domain/callers/scopes.ts';
import type { Scheme } from './operations.ts';
import type { Pool } from './pool.ts';
import { knowToken, prover } from './proofs.ts';
import type { Plan } from './requests.ts';
import type { Taken } from './taken.ts';

export async function administrator(
  pool: Pool,
  { scopes: permitted }: Scheme,
  { operation, pick }: Plan,
): Promise<Taken> {
  const [scope = 'manage_all'] = administratorScopes.filter((one) => permitted.includes(one));
  const permitting = operation.security.flatMap((scheme) => scheme?.scopes ?? []);
  const others = administratorScopes.filter((one) => !permitting.includes(one));
  const own = await pool.administrator(scope);
  const other = others[pick % others.length];
  const narrow = other && (await pool.administrator(other));
  for (const one of [own, narrow]) if (one) knowToken(one);
  return {
    live: { headers: { authorization: `DPoP ${own.token}` } },
    expires: true,
    ...(narrow && { narrow: `DPoP ${narrow.token}` }),
    prove: prover(pool.app, own),
  };
}

/** Live values of the operations on one policy. */

import { createPolicy } from '../../src/domain/policies/policies.ts';
import type { Pool } from './pool.ts';
import type { Taken } from './taken.ts';

let made = 0;

/** A policy for one request alone. */
export async function policy({ app }: Pool): Promise<Taken> {
  made += 1;
  const { id } = await createPolicy(app.services, app.account, { name: `Policy ${made} of a test` });
  return { live: { path: { id: String(id) } } };
}

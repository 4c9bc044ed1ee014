/** Refreshes that continue during a fault or a flood, and the server's resource use meanwhile. */

import { readFileSync } from 'node:fs';
import { clientAuthentication } from '../support/sign-in.ts';
import type { Nodes } from './nodes.ts';
import type { Tally } from './tally.ts';

/** Chains of refreshes, each waiting for the previous answer; `tokens` has the last token of each chain. */
export async function refreshWhile(
  { wires: [wire], client }: Pick<Nodes, 'wires' | 'client'>,
  tokens: string[],
  goesOn: () => boolean,
  tally: Tally,
): Promise<void> {
  const { headers, form } = clientAuthentication(client);
  await Promise.all(
    tokens.map(async (_, index) => {
      while (goesOn()) {
        const refresh = { ...form, grant_type: 'refresh_token', refresh_token: tokens[index] ?? '' };
        const answer = await tally.note(wire.send('POST', '/oauth2/token', { headers, form: refresh }));
        if (answer?.status === 200) tokens[index] = answer.body.refresh_token;
      }
    }),
  );
}

/** Returns whether fewer than this many seconds have passed since the call. */
export function forSeconds(seconds: number): () => boolean {
  const end = performance.now() + seconds * 1000;
  return () => performance.now() < end;
}

/** Resident memory of the first server. */
export function residentMegabytes({ services: [service] }: Nodes): number {
  const status = readFileSync(`/proc/${service?.pid}/status`, 'utf8');
  return Math.round(Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1024);
}

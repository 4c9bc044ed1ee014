import { translate } from './errors.ts';
import type { Distribution } from './postgres/distribution/open.ts';

export type { Distribution };

/** Runs `work` on a connection of its own to a PostgreSQL that is, or is to be, distributed by account. */
export async function withDistribution<Result>(
  url: string,
  work: (distribution: Distribution) => Promise<Result>,
): Promise<Result> {
  const { withDistribution: open } = await import('./postgres/distribution/open.ts');
  return open(url, work).catch((error: unknown) => {
    throw translate(error);
  });
}

/** A contract as it is downloaded or shown: its first server is the address at which it was asked for. */

import { createHash } from 'node:crypto';
import type { DocsFile } from '../../http/docs.ts';
import { once } from '../once.ts';
import { baseUrlPlaceholder } from './workflow-view.ts';

/** Contracts have servers; the service itself needs none. */
type WithServers = object & { readonly servers?: readonly object[] };

/**
 * The file for a base URL; the text is written once, with `write`, and holds the base URL once. Without an account, for
 * files that lie in a folder, the contract is as it is.
 */
export function servedContract(
  read: () => object,
  type: string,
  write: (contract: object) => string,
  policy?: string,
): (baseUrl: string) => DocsFile {
  const fileOf = (body: Buffer, digest: string) => ({ type, body, digest, ...(policy !== undefined && { policy }) });
  const plain = once(() => {
    const body = Buffer.from(write(read()));
    return fileOf(body, digestOf([body]));
  });
  const pieces = once(() => {
    const contract: WithServers = read();
    const servers = [{ url: baseUrlPlaceholder, description: 'This account.' }, ...(contract.servers ?? [])];
    const [before = '', ...after] = write({ ...contract, servers }).split(baseUrlPlaceholder);
    const around = [Buffer.from(before), Buffer.from(after.join(baseUrlPlaceholder))] as const;
    return { around, digest: digestOf(around) };
  });
  return (baseUrl) => {
    if (baseUrl === baseUrlPlaceholder) return plain();
    const { around, digest } = pieces();
    const body = Buffer.concat([around[0], Buffer.from(baseUrl), around[1]]);
    return fileOf(body, digestOf([digest, baseUrl]));
  };
}

function digestOf(parts: readonly (Buffer | string)[]): string {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(part);
  return hash.digest('hex').slice(0, 16);
}

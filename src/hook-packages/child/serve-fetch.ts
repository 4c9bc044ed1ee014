/** The fetch process: it resolves packages and writes their files to the build folder, its only writable folder. */

import { limits, type ToFetch } from '../protocol.ts';
import type { Grammar } from './grammar.ts';
import { listen, refusalOf, say } from './pipe.ts';
import { openRegistry, type Registry } from './registry.ts';
import { createRequests } from './requests.ts';
import { type PlacedPackage, resolvePackages } from './resolve.ts';
import { unpackAll } from './unpack.ts';

/** Limit for one message: a body from the registry and its header. */
const mostFrameBytes = limits.answerBytes + 64 * 1024;

/** Serves one build in `folder`. The grammar validates everything untrusted. */
export function serveFetch(folder: string, grammar: Grammar): void {
  const requests = createRequests(say);
  let registry: Registry | null = null;
  let placed: readonly PlacedPackage[] = [];

  async function resolve({ registry: address, packages }: Extract<ToFetch, { op: 'resolve' }>): Promise<void> {
    registry = openRegistry(address, requests.get, grammar);
    placed = await resolvePackages(packages, registry, grammar);
    const described = placed.map(({ path, description: { name, version, integrity } }) => {
      return { name, version, integrity, path };
    });
    say({ op: 'resolved', packages: described });
  }

  async function unpack(): Promise<void> {
    if (!registry) throw new Error('unpack before resolve');
    await unpackAll(placed, registry, folder, grammar);
    say({ op: 'unpacked' });
  }

  listen<ToFetch>(mostFrameBytes, (message, bytes) => {
    if (message.op === 'got') return requests.settle(message, bytes);
    (message.op === 'resolve' ? resolve(message) : unpack()).catch((error) => say(refusalOf(error)));
  });
}

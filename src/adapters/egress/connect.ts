/** Connects to a destination: the name is resolved once, and only a checked address is connected to. */

import { lookup, Resolver } from 'node:dns/promises';
import { isIP, connect as netConnect, type Socket } from 'node:net';
import { type ConnectionOptions, connect as tlsConnect } from 'node:tls';
import { isListedAddress, isPublicAddress, isSameAddress } from './addresses.ts';
import type { Destination } from './destination.ts';
import { Refusal } from './refusal.ts';

/** The parts that tests replace. */
export interface Network {
  /** Addresses of a name, in the order in which they are tried. */
  resolve(hostname: string, isListed: boolean, signal: AbortSignal): Promise<readonly string[]>;
  /** Settles when the connection is established. */
  connect(address: string, port: number, signal: AbortSignal): Promise<Socket>;
  /** Trusted certificates; default: those of Node. */
  readonly ca?: ConnectionOptions['ca'];
}

const mostAddresses = 4;
const resolverMilliseconds = 800;

/**
 * A name that strangers choose is resolved with DNS directly: the system's resolver would block a thread of the pool
 * for as long as their name server likes. A listed name may be in a hosts file.
 */
async function resolve(hostname: string, isListed: boolean, signal: AbortSignal): Promise<readonly string[]> {
  if (isListed) return (await lookup(hostname, { all: true })).map(({ address }) => address);
  const resolver = new Resolver({ timeout: resolverMilliseconds, tries: 1 });
  const cancel = () => resolver.cancel();
  signal.addEventListener('abort', cancel, { once: true });
  try {
    const answers = await Promise.allSettled([resolver.resolve4(hostname), resolver.resolve6(hostname)]);
    return answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []));
  } finally {
    signal.removeEventListener('abort', cancel);
  }
}

function connect(address: string, port: number, signal: AbortSignal): Promise<Socket> {
  return new Promise((fulfil, reject) => {
    const socket = netConnect({ host: address, port, family: isIP(address), signal });
    socket.once('error', reject);
    socket.once('connect', () => {
      socket.off('error', reject);
      // Compares the actual peer with the checked address, whatever is in between.
      if (isSameAddress(socket.remoteAddress ?? '', address)) return fulfil(socket);
      socket.destroy();
      reject(new Refusal('address_forbidden'));
    });
  });
}

export const systemNetwork: Network = { resolve, connect };

function untilAborted<Result>(work: Promise<Result>, signal: AbortSignal): Promise<Result> {
  signal.throwIfAborted();
  return new Promise((fulfil, reject) => {
    const abort = () => reject(signal.reason);
    signal.addEventListener('abort', abort, { once: true });
    work.then(fulfil, reject).finally(() => signal.removeEventListener('abort', abort));
  });
}

/** The addresses of a destination that may be connected to. */
async function addressesOf(
  { hostname, isLiteral, isListed }: Destination,
  network: Network,
  signal: AbortSignal,
): Promise<readonly string[]> {
  if (isLiteral) {
    // A listed address is what the operator wrote.
    if (isListed || isPublicAddress(hostname)) return [hostname];
    throw new Refusal('address_forbidden');
  }
  const found = await untilAborted(network.resolve(hostname, isListed, signal), signal).catch((cause: unknown) => {
    signal.throwIfAborted();
    throw new Refusal('name_unresolved', { cause });
  });
  const allowed = found.filter((address) => (isListed ? isListedAddress(hostname, address) : isPublicAddress(address)));
  // The same answer for a name that leads to an internal address and for one without addresses: nobody can discover
  // internal names.
  if (allowed.length === 0) throw new Refusal('name_unresolved');
  return allowed.slice(0, mostAddresses);
}

async function connectToFirst(
  addresses: readonly string[],
  port: number,
  network: Network,
  signal: AbortSignal,
): Promise<Socket> {
  let failed: unknown = null;
  for (const address of addresses) {
    signal.throwIfAborted();
    try {
      return await network.connect(address, port, signal);
    } catch (error) {
      failed = error;
    }
  }
  signal.throwIfAborted();
  throw failed instanceof Refusal ? failed : new Refusal('connection_failed', { cause: failed });
}

function secure(socket: Socket, { hostname, isLiteral }: Destination, network: Network): Promise<Socket> {
  return new Promise((fulfil, reject) => {
    const fail = (cause?: Error) => {
      socket.destroy();
      reject(new Refusal('tls_failed', { cause }));
    };
    const closed = () => fail();
    const secured = tlsConnect({
      socket,
      host: hostname,
      // RFC 6066 §3: literal addresses are not sent as a server name.
      ...(isLiteral ? {} : { servername: hostname }),
      rejectUnauthorized: true,
      minVersion: 'TLSv1.2',
      ALPNProtocols: ['http/1.1'],
      ...(network.ca ? { ca: network.ca } : {}),
    });
    secured.once('error', fail);
    secured.once('close', closed);
    secured.once('secureConnect', () => {
      secured.off('error', fail).off('close', closed);
      fulfil(secured);
    });
  });
}

/**
 * A connection to the destination, by TLS unless it is listed as http. Throws a `Refusal`, or what `signal` was aborted
 * with.
 */
export async function openConnection(destination: Destination, network: Network, signal: AbortSignal): Promise<Socket> {
  const addresses = await addressesOf(destination, network, signal);
  const socket = await connectToFirst(addresses, destination.port, network, signal);
  signal.addEventListener('abort', () => socket.destroy(), { once: true });
  if (!destination.isTls) return socket;
  return untilAborted(secure(socket, destination, network), signal);
}

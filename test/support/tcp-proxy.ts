/**
 * A TCP proxy on loopback that can be told to be slow, silent or gone: the network between the service and its
 * database.
 */

import { connect, createServer, type Socket } from 'node:net';

export interface TcpProxy {
  readonly port: number;
  /** Every piece of data is held up for so long, each way. */
  delay(milliseconds: number): void;
  /** Connections are accepted, and from now on nothing is passed on. */
  hang(): void;
  /** Passes data on again; connections that were made meanwhile, or fell silent, are cut. */
  recover(): void;
  /** Open connections from the service. */
  connections(): number;
  close(): Promise<void>;
}

/** Stands before the port of this machine. */
export async function startProxy(target: number): Promise<TcpProxy> {
  let milliseconds = 0;
  let hanging = false;
  const pairs = new Set<readonly [Socket, Socket]>();

  function pass(from: Socket, to: Socket): void {
    let last: Promise<void> = Promise.resolve();
    from.on('data', (data) => {
      if (hanging) return;
      const held = new Promise<void>((resolve) => setTimeout(resolve, milliseconds));
      last = Promise.all([last, held]).then(() => {
        if (!hanging && to.writable) to.write(data);
      });
    });
    from.on('close', () => to.destroy()).on('error', () => to.destroy());
  }

  const server = createServer({ noDelay: true }, (socket) => {
    const upstream = connect({ host: '127.0.0.1', port: target, noDelay: true });
    const pair = [socket, upstream] as const;
    pairs.add(pair);
    socket.once('close', () => pairs.delete(pair));
    pass(socket, upstream);
    pass(upstream, socket);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the proxy has no port');

  function cut(): void {
    for (const pair of pairs) for (const socket of pair) socket.destroy();
  }
  return {
    port: address.port,
    delay: (value) => {
      milliseconds = value;
    },
    hang: () => {
      hanging = true;
    },
    recover: () => {
      if (hanging) cut();
      hanging = false;
      milliseconds = 0;
    },
    connections: () => pairs.size,
    close: async () => {
      cut();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

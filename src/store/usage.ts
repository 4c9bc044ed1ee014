/** How busy the connections of a store are. */

/** `reading`: for what reads many rows; threads on SQLite. */
export const connectionPools = ['main', 'reading'] as const;

/** `waiting`: calls that wait for a connection. */
export const connectionStates = ['used', 'free', 'waiting'] as const;

/** A pool of this process now. */
export type ConnectionUsage = { readonly pool: (typeof connectionPools)[number] } & Readonly<
  Record<(typeof connectionStates)[number], number>
>;

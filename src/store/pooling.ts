/** What the way to PostgreSQL keeps for a client: its session, or a connection of the server for each transaction. */
export const poolings = ['session', 'transaction'] as const;

export type Pooling = (typeof poolings)[number];

import type { Milliseconds } from './time.ts';

/** Messages that are stored until they are delivered: two kinds to users, one to clients. */
export const messageQueues = ['change_notice', 'reset_link', 'logout_notice'] as const;

export type MessageQueue = (typeof messageQueues)[number];

/** More are not counted. */
export const mostCountedMessages = 10_000;

/** What waits in a queue, in all accounts. */
export interface WaitingMessages {
  readonly queue: MessageQueue;
  /** Up to `mostCountedMessages`. */
  readonly count: number;
  /** When the one that is due first is due; null when none waits. */
  readonly dueAt: Milliseconds | null;
}

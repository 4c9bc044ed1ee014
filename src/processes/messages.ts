/**
 * What the supervisor and a process of the service say to each other. After an upgrade a supervisor of one release has
 * processes of the next: messages are added, and what is unknown is ignored.
 */

import type { Processes } from '../http/health.ts';
import type { Snapshot } from '../metrics/together.ts';

/** From the supervisor. */
export type Order =
  /** Comes with an accepted connection. */
  | { readonly order: 'connection'; readonly id: number }
  /** It should have this connection by now: asked of a process that has not said so. */
  | { readonly order: 'has'; readonly id: number }
  /** The service will stop: not ready any more, and each answer ends its connection. */
  | { readonly order: 'leave' }
  /** No further connection comes: finish what runs, and end. */
  | { readonly order: 'end'; readonly hurry: boolean }
  /** Whoever waits for an idle connection need not any more. */
  | { readonly order: 'hurry' }
  | { readonly order: 'ping' }
  /** Asks for the metrics of the process. */
  | { readonly order: 'measure'; readonly id: number }
  /** The metrics of all processes, as this one asked. */
  | { readonly order: 'page'; readonly id: number; readonly text: string }
  | ({ readonly order: 'processes' } & Processes);

/** From a process. */
export type Report =
  | { readonly report: 'ready'; readonly version: string }
  /** The connection is this process's: nothing of it was read before. */
  | { readonly report: 'taken'; readonly id: number }
  /** The connection did not come: the process had no file descriptor left for it. */
  | { readonly report: 'missed'; readonly id: number }
  | { readonly report: 'pong' }
  | { readonly report: 'measured'; readonly id: number; readonly metrics: Snapshot }
  /** What it counted until its end. */
  | { readonly report: 'last'; readonly metrics: Snapshot }
  | { readonly report: 'page'; readonly id: number };

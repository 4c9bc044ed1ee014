import type { UserRecord } from '../../src/store/users.ts';
import type { Answer } from '../support/conforms.ts';
import type { Fault } from './fault.ts';
import type { Wire } from './wire.ts';

/** Values that really work now, by place and name; undefined takes a member out. */
export interface Live {
  readonly path?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string | undefined>>;
  readonly headers?: Readonly<Record<string, string | undefined>>;
  readonly body?: Readonly<Record<string, unknown>>;
  /** In place of a body that is a list. */
  readonly items?: readonly unknown[];
}

export const livePlaces = ['path', 'query', 'headers', 'body'] as const;
export type LivePlace = (typeof livePlaces)[number];

/** Live values for one request, which is refused when any of them is missing or another. */
export interface Taken {
  readonly live: Live;
  /** Names of which another value is no reason to refuse. */
  readonly loose?: readonly string[];
  /** Names that may be left out. */
  readonly optional?: readonly string[];
  /** Something of it ends with time. */
  readonly expires?: boolean;
  /** The request is refused when this user is locked or suspended. */
  readonly user?: UserRecord;
  /** An Authorization header that is good and permits too little. */
  readonly narrow?: string;
  /** Adds the proof of the token in the request, which is for this request alone; `fault` can be of it. */
  prove?(wire: Wire, fault: Fault | null): Promise<Wire>;
  /** Gives back what the answer left in force. */
  settle?(answer: Answer): void | Promise<void>;
}

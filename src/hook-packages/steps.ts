/** The two processes of a build; each gets one request at a time. */

import type { Egress } from '../domain/egress.ts';
import type { HookCommand } from '../hook-runner/command.ts';
import { startFramedProcess } from '../hook-runner/framed-process.ts';
import { encodeFrame, encodeFrameWithBytes } from '../hook-runner/frames.ts';
import { type FromBundle, type FromFetch, limits, type Refused, type ToBundle, type ToFetch } from './protocol.ts';
import { readFromBundle, readFromFetch } from './read-messages.ts';

export interface Step<To, From> {
  /** Resolves to a refusal when the process ends before it answers. */
  ask(message: To): Promise<From | Refused>;
  /** Settles once the process has exited. */
  end(): Promise<void>;
}

const died: Refused = { op: 'refused', reason: 'the packages could not be built', isFinal: false };

interface Meeting<From> {
  readonly mostBytes: number;
  readonly read: (text: string) => From;
  /** Handles a message that is not an answer; false leaves it to the pending request. */
  readonly take: (message: From, send: (frame: Buffer) => void) => boolean;
}

function startStep<To extends object, From>(command: HookCommand, meeting: Meeting<From>): Step<To, From> {
  let answer: ((said: From | Refused) => void) | null = null;
  let isDead = false;

  function settle(said: From | Refused): void {
    // An unsolicited message means that the process misbehaves.
    if (!answer) throw new TypeError('an answer to nothing');
    answer(said);
    answer = null;
  }

  const started = startFramedProcess(command, meeting.mostBytes, {
    frame(text) {
      const message = meeting.read(text);
      if (!meeting.take(message, started.send)) settle(message);
    },
    failed() {
      isDead = true;
      if (answer) settle(died);
    },
  });
  return {
    ask(message) {
      if (isDead) return Promise.resolve(died);
      return new Promise((fulfil) => {
        answer = fulfil;
        started.send(encodeFrame(message));
      });
    },
    async end() {
      started.kill();
      isDead = true;
      if (answer) settle(died);
      await started.gone;
    },
  };
}

/** Resolves and unpacks. Makes the process's requests, within a build's limits on number, size and time. */
export function startFetch(command: HookCommand, egress: Egress, signal: AbortSignal): Step<ToFetch, FromFetch> {
  let requests = 0;
  let bytes = 0;

  async function request({ id, url, accept }: Extract<FromFetch, { op: 'get' }>, send: (frame: Buffer) => void) {
    const result = await egress.fetch(
      { accountId: 0, url, method: 'GET', headers: [['accept', accept]], body: null, redirect: 'error' },
      signal,
    );
    const body = result.ok && result.response.status === 200 ? result.response.body : Buffer.alloc(0);
    bytes += body.length;
    const isTooMuch = bytes > limits.fetchedBytes;
    const failure = isTooMuch ? 'response_too_large' : result.ok ? null : result.failure;
    const status = result.ok ? result.response.status : 0;
    send(
      encodeFrameWithBytes({ op: 'got', id, status, failure } satisfies ToFetch, isTooMuch ? Buffer.alloc(0) : body),
    );
  }

  return startStep<ToFetch, FromFetch>(command, {
    mostBytes: limits.treeBytes,
    read: readFromFetch,
    take(message, send) {
      if (message.op !== 'get') return message.op === 'ready';
      requests += 1;
      if (requests > limits.requests) throw new RangeError('too many requests');
      void request(message, send);
      return true;
    },
  });
}

export function startBundle(command: HookCommand): Step<ToBundle, FromBundle> {
  return startStep<ToBundle, FromBundle>(command, {
    mostBytes: limits.bundledBytes,
    read: readFromBundle,
    take: ({ op }) => op === 'ready',
  });
}

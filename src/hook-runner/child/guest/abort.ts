/** `AbortController` and `AbortSignal`, for cancelling requests. */

type Listener = (event: { readonly type: 'abort'; readonly target: AbortSignal }) => void;

let raise: (signal: AbortSignal, reason: unknown) => void;

export class AbortSignal {
  readonly #listeners = new Set<Listener>();
  #reason: unknown;
  #aborted = false;
  onabort: Listener | null = null;

  static {
    raise = (signal, reason) => signal.#raise(reason);
  }

  static abort(reason?: unknown): AbortSignal {
    const controller = new AbortController();
    controller.abort(reason);
    return controller.signal;
  }

  static timeout(milliseconds: number): AbortSignal {
    const controller = new AbortController();
    setTimeout(() => controller.abort(namedError('TimeoutError', 'The operation timed out')), milliseconds);
    return controller.signal;
  }

  get aborted(): boolean {
    return this.#aborted;
  }
  get reason(): unknown {
    return this.#reason;
  }
  throwIfAborted(): void {
    if (this.#aborted) throw this.#reason;
  }
  addEventListener(type: string, listener: Listener): void {
    if (type === 'abort') this.#listeners.add(listener);
  }
  removeEventListener(_type: string, listener: Listener): void {
    this.#listeners.delete(listener);
  }

  #raise(reason: unknown): void {
    if (this.#aborted) return;
    this.#aborted = true;
    this.#reason = reason;
    const event = { type: 'abort', target: this } as const;
    this.onabort?.(event);
    for (const listener of this.#listeners) listener(event);
  }
}

export class AbortController {
  readonly signal = new AbortSignal();

  abort(reason: unknown = namedError('AbortError', 'This operation was aborted')): void {
    raise(this.signal, reason);
  }
}

function namedError(name: string, message: string): Error {
  return Object.assign(new Error(message), { name });
}

/** The findings of `gatehouse doctor` about one layer. */

/**
 * `ok`; `degraded`: it works, but not with everything possible; `off`: it is not used or not available, and the service
 * runs all the same; `failed`: it prevents the service from starting, from answering, or from running hooks.
 */
export interface Finding {
  readonly layer: string;
  readonly status: 'ok' | 'degraded' | 'off' | 'failed';
  readonly detail: string;
  /** What to do; null when there is nothing to do. */
  readonly remedy: string | null;
}

export function ok(layer: string, detail: string): Finding {
  return { layer, status: 'ok', detail, remedy: null };
}

export function degraded(layer: string, detail: string, remedy: string): Finding {
  return { layer, status: 'degraded', detail, remedy };
}

export function off(layer: string, detail: string, remedy: string | null): Finding {
  return { layer, status: 'off', detail, remedy };
}

export function failed(layer: string, detail: string, remedy: string): Finding {
  return { layer, status: 'failed', detail, remedy };
}

/** The findings of `gatehouse doctor` about one layer. */

/** `ok`; `degraded`: it works, but not with everything possible; `off`: it is not available. */
export interface Finding {
  readonly layer: string;
  readonly status: 'ok' | 'degraded' | 'off';
  readonly detail: string;
  /** What to do; null when there is nothing to do. */
  readonly remedy: string | null;
  /** It prevents the service from starting, from answering, or from running hooks. */
  readonly fatal: boolean;
}

export function ok(layer: string, detail: string): Finding {
  return { layer, status: 'ok', detail, remedy: null, fatal: false };
}

export function degraded(layer: string, detail: string, remedy: string): Finding {
  return { layer, status: 'degraded', detail, remedy, fatal: false };
}

export function off(layer: string, detail: string, remedy: string | null): Finding {
  return { layer, status: 'off', detail, remedy, fatal: false };
}

export function fatal(layer: string, detail: string, remedy: string): Finding {
  return { layer, status: 'off', detail, remedy, fatal: true };
}

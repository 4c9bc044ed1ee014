/** What `gatehouse doctor` says of one layer. */

/** `ok`; `degraded`: it works, with less than could be; `off`: it is not there. */
export interface Finding {
  readonly layer: string;
  readonly status: 'ok' | 'degraded' | 'off';
  readonly detail: string;
  /** What to do; null when nothing is to be done. */
  readonly remedy: string | null;
  /** The service does not start or does not answer because of it. */
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

/** The steps from a request without a token to one with a token, and how far a resource server's clients come. */

/** In order. Each needs what the steps before it found. */
export const stepNames = [
  'challenge',
  'resource metadata',
  'issuer',
  'registration',
  'authorization',
  'token',
  'call',
] as const;

export type StepName = (typeof stepNames)[number];

/** `broken`: clients get no further. `skipped`: it was not tried. */
export interface StepResult {
  readonly step: StepName;
  readonly status: 'ok' | 'broken' | 'skipped';
  readonly detail: string;
  /** What to do; null when there is nothing to do. */
  readonly remedy: string | null;
}

/** Clients get no further than this step. */
export class Broken extends Error {
  readonly remedy: string;

  constructor(detail: string, remedy: string) {
    super(detail);
    this.remedy = remedy;
  }
}

/** This step and the next are left out. */
export class LeftOut extends Error {
  readonly remedy: string;

  constructor(detail: string, remedy: string) {
    super(detail);
    this.remedy = remedy;
  }
}

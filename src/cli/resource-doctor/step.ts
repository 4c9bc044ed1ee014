/** The steps from a request without a token to one with a token, and how far a resource server's clients get. */

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

/** The walk ends at this step: clients get no further, or it is left out. */
export class Ended extends Error {
  readonly status: Exclude<StepResult['status'], 'ok'>;
  readonly remedy: string;

  constructor(status: Ended['status'], detail: string, remedy: string) {
    super(shownText(detail));
    this.status = status;
    this.remedy = remedy;
  }
}

export function broken(detail: string, remedy: string): Ended {
  return new Ended('broken', detail, remedy);
}

const longestShown = 500;

/** Others choose these texts. */
export function shownText(text: string): string {
  return text.length > longestShown ? `${text.slice(0, longestShown)}…` : text;
}

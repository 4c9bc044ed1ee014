import type { EgressFailure } from '../../domain/egress.ts';

/** Aborts a request; never seen outside this folder. */
export class Refusal extends Error {
  override readonly name = 'Refusal';
  readonly failure: EgressFailure;

  constructor(failure: EgressFailure, options?: ErrorOptions) {
    super(failure, options);
    this.failure = failure;
  }
}

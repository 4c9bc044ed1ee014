import type { EgressFailure } from '../../domain/egress.ts';

/** Ends a request from within; never seen outside of this folder. */
export class Refusal extends Error {
  override readonly name = 'Refusal';
  readonly failure: EgressFailure;

  constructor(failure: EgressFailure, options?: ErrorOptions) {
    super(failure, options);
    this.failure = failure;
  }
}

/** Ends a build, in words for the author of the hook: they name the package. */
export class PackageRefusal extends Error {
  override readonly name = 'PackageRefusal';
  /** Another try would end alike: it is the package, not the network. */
  readonly isFinal: boolean;

  constructor(message: string, isFinal = true) {
    super(message);
    this.isFinal = isFinal;
  }
}

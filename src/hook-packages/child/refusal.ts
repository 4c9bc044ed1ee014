/** Ends a build. The message is for the hook's author and names the package. */
export class PackageRefusal extends Error {
  override readonly name = 'PackageRefusal';
  /** A retry would fail too: the cause is the package, not the network. */
  readonly isFinal: boolean;

  constructor(message: string, isFinal = true) {
    super(message);
    this.isFinal = isFinal;
  }
}

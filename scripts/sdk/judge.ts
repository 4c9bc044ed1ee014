/** A generator of clients, a parser, or a linter that people use, pinned, and how far it gets with the contracts. */

/** A contract as a running service served it. */
export interface ServedContract {
  readonly surface: string;
  /** Paths of the two files. */
  readonly yaml: string;
  readonly json: string;
}

/** One thing that is asked of a judge; it rejects when that fails. */
export interface Stage {
  /** What the contract is afterwards. */
  readonly word: 'read' | 'generated' | 'compiled' | 'imported' | 'accepted';
  /** `folder` is the same for all surfaces of the judge, so that one program can use the clients of them all. */
  run(contract: ServedContract, folder: string): Promise<void>;
}

export interface Judge {
  readonly language: string;
  /** As its makers call it. */
  readonly tool: string;
  readonly version: string;
  /** Commands that must be there. */
  readonly needs: readonly string[];
  readonly stages: readonly Stage[];
  /** Surfaces on which it fails by a fault of its own, and what that is. */
  readonly ownFaults?: Readonly<Record<string, string>>;
  /** Runs the program that does the main job with the generated clients; rejects when it fails. */
  job?(folder: string, env: Readonly<Record<string, string>>): Promise<void>;
}

/** What is said of a judge in the table. */
export interface Row {
  readonly language: string;
  readonly tool: string;
  /** By surface, in the order of `surfaces`. */
  readonly cells: readonly string[];
  readonly job: string;
}

export const surfaces: readonly string[] = ['auth-2', 'oidc-2', 'oauth2', 'api-2'];

/** The name of a surface where a language lets no hyphen into names. */
export function packageOf(surface: string): string {
  return surface.replaceAll('-', '');
}

/** Something that can be done about a step of an explanation. */

import type { Schemas } from '../../../api/contract.ts';
import type { FieldShape } from '../../../parts/field.tsx';

/** What a call answered that is told once. */
export interface Told {
  readonly title: string;
  readonly values: readonly (readonly [label: string, value: string])[];
  /** The client that the sign-in is explained for from now on. */
  readonly clientId?: string;
}

export interface Action {
  /** The label of the button, and of the one that confirms it. */
  readonly label: string;
  readonly title: string;
  /** What it changes, and for whom. */
  readonly words: string;
  /** One of these permits the call. */
  readonly scopes: readonly string[];
  /** What has to be chosen. */
  readonly fields?: readonly FieldShape[];
  readonly value?: unknown;
  readonly act: (chosen: Readonly<Record<string, unknown>>) => Promise<Told | null>;
}

export interface About {
  readonly user: Schemas['User'];
  readonly name: string;
  /** The redirect URI that was asked about. */
  readonly redirectUri: string | null;
}

/** Nothing to be told. */
export const done = () => null;

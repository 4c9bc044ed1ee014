/** The evidence with which a user is admitted, as it was when it was checked. */

import type { SessionRecord } from '../../store/sessions.ts';
import type { Milliseconds } from '../../store/time.ts';
import type { UserRecord } from '../../store/users.ts';
import type { Approval } from '../login/approval.ts';
import type { InviteKind } from '../login/invite-kind.ts';
import { linkMethods, type PasskeyKind, passkeyMethods, passwordMethods } from '../login/methods.ts';

interface Shown {
  /** The user as read by the check: something is opened only if the user is still the same. */
  readonly user: UserRecord;
  /** When the check was made: before the hash was computed and the hooks ran. */
  readonly checkedAt: Milliseconds;
}

interface PasswordShown extends Shown {
  readonly by: 'password';
}

/** A link sent by e-mail; the password chosen with it is already stored. */
export interface LinkFollowed extends Shown {
  readonly by: 'link';
  readonly kind: InviteKind;
}

interface PasskeyShown extends Shown, PasskeyKind {
  readonly by: 'passkey';
  readonly deviceId: number;
}

/** The evidence that begins a sign-in. */
export type FirstEvidence = PasswordShown | LinkFollowed | PasskeyShown;

/**
 * A later step of a sign-in: a code or a passkey after the first factor, or a new password that replaces an expired
 * one.
 */
export interface MoreShown extends Shown {
  readonly by: 'second_factor' | 'new_password';
  /** All methods used so far, as in `amr`. */
  readonly methods: readonly string[];
  /** The session to raise; null if there is none yet. */
  readonly session: SessionRecord | null;
}

/** A browser that is signed in. */
interface SessionShown {
  readonly by: 'session';
  readonly user: UserRecord;
  readonly session: SessionRecord;
}

/** The result of an earlier sign-in: an authorization code or a device code. */
interface ApprovalRedeemed {
  readonly by: 'code' | 'device_code';
  readonly user: Pick<UserRecord, 'id'>;
  readonly approval: Approval;
}

/** An access token that is being exchanged. */
interface TokenShown {
  readonly by: 'token';
  readonly user: Pick<UserRecord, 'id'>;
  readonly tokenId: number;
}

type Redeemed = ApprovalRedeemed | TokenShown;

export type Evidence = FirstEvidence | MoreShown | SessionShown | Redeemed;

/** How the user has authenticated, as in `amr`. */
export function methodsOf(evidence: FirstEvidence | MoreShown | SessionShown): readonly string[] {
  switch (evidence.by) {
    case 'password':
      return passwordMethods;
    case 'link':
      return linkMethods;
    case 'passkey':
      return passkeyMethods(evidence);
    case 'second_factor':
    case 'new_password':
      return evidence.methods;
    case 'session':
      return evidence.session.amr;
  }
}

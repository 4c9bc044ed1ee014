/** What somebody has shown to be let in, as it was when it was checked. */

import type { SessionRecord } from '../../store/sessions.ts';
import type { Milliseconds } from '../../store/time.ts';
import type { UserRecord } from '../../store/users.ts';
import type { Approval } from '../login/approval.ts';
import type { InviteKind } from '../login/invite-kind.ts';
import { linkMethods, type PasskeyKind, passkeyMethods, passwordMethods } from '../login/methods.ts';

interface Shown {
  /** The user as the check read them: what opens is opened for a user who is still the same. */
  readonly user: UserRecord;
  /** When the check was made: before the hash was computed and the hooks ran. */
  readonly checkedAt: Milliseconds;
}

interface PasswordShown extends Shown {
  readonly by: 'password';
}

/** A link that came by e-mail; the password that was chosen with it is stored. */
export interface LinkFollowed extends Shown {
  readonly by: 'link';
  readonly kind: InviteKind;
}

interface PasskeyShown extends Shown, PasskeyKind {
  readonly by: 'passkey';
  readonly deviceId: number;
}

/** What a sign-in begins with. */
export type FirstEvidence = PasswordShown | LinkFollowed | PasskeyShown;

/** A code or a passkey after the first factor, or a new password in place of an expired one: a later request of a sign-in. */
export interface MoreShown extends Shown {
  readonly by: 'second_factor' | 'new_password';
  /** All that was shown until now, as `amr` says it. */
  readonly methods: readonly string[];
  /** The session that is to be worth more; null: there is none yet. */
  readonly session: SessionRecord | null;
}

/** A browser that is signed in. */
interface SessionShown {
  readonly by: 'session';
  readonly user: UserRecord;
  readonly session: SessionRecord;
}

/** What came of a sign-in before: an authorization code, or the code of a device. */
interface ApprovalRedeemed {
  readonly by: 'code' | 'device_code';
  readonly user: Pick<UserRecord, 'id'>;
  readonly approval: Approval;
}

/** An access token that is exchanged. */
interface TokenShown {
  readonly by: 'token';
  readonly user: Pick<UserRecord, 'id'>;
  readonly tokenId: number;
}

type Redeemed = ApprovalRedeemed | TokenShown;

export type Evidence = FirstEvidence | MoreShown | SessionShown | Redeemed;

/** How the user has shown who they are, as `amr` says it. */
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

/** The functions of each noun. */

import type { Knex } from 'knex';
import { lazily } from '../lazily.ts';
import type { StoreVerbs } from '../store.ts';
import { accessVerbs } from './access.ts';
import { accountVerbs } from './accounts.ts';
import { administratorVerbs } from './administrators.ts';
import { attributeVerbs } from './attributes.ts';
import { authorizationServerVerbs } from './authorization-servers.ts';
import { authorizationVerbs } from './authorizations.ts';
import { callerVerbs } from './callers.ts';
import { changeNoticeVerbs } from './change-notices.ts';
import { clientVerbs } from './clients.ts';
import { countVerbs } from './counts.ts';
import { deviceCodeVerbs } from './device-codes.ts';
import type { HotVerbs } from './engine.ts';
import { type AtEnd, eventVerbs } from './events.ts';
import { factVerbs } from './facts.ts';
import { grantVerbs } from './grants.ts';
import { type Around, guard } from './guard.ts';
import { hookExecutionVerbs } from './hook-executions.ts';
import { hookVariableVerbs } from './hook-variables.ts';
import { hookVerbs } from './hooks.ts';
import { keptAnswerVerbs } from './kept-answers.ts';
import { keyVerbs } from './keys.ts';
import { limitCountVerbs } from './limit-counts.ts';
import { noticeVerbs } from './notices.ts';
import { packageBuildVerbs } from './package-builds.ts';
import { passkeyVerbs } from './passkeys.ts';
import { inviteVerbs, passwordResetVerbs } from './password-links.ts';
import { policyVerbs } from './policies.ts';
import { refusalVerbs } from './refusals.ts';
import { resetRequestVerbs } from './reset-requests.ts';
import { resourceVerbs } from './resources.ts';
import { roleVerbs } from './roles.ts';
import { secondFactorVerbs } from './second-factors.ts';
import { sessionVerbs } from './sessions.ts';
import { signInHistoryVerbs } from './sign-in-histories.ts';
import { userVerbs } from './users.ts';

/** A pool, or a transaction, which does at its end what `atEnd` collects. */
interface Place {
  readonly db: Knex;
  readonly hot: HotVerbs;
  readonly atEnd: AtEnd | null;
}

type Makers = { readonly [Noun in keyof StoreVerbs]: (place: Place) => StoreVerbs[Noun] };

const makers: Makers = {
  accounts: ({ db }) => accountVerbs(db),
  facts: ({ db }) => factVerbs(db),
  keys: ({ db }) => keyVerbs(db),
  callers: ({ db, hot }) => callerVerbs(db, hot),
  administrators: ({ db }) => administratorVerbs(db),
  users: ({ db, hot }) => userVerbs(db, hot),
  attributes: ({ db }) => attributeVerbs(db),
  policies: ({ db }) => policyVerbs(db),
  roles: ({ db }) => roleVerbs(db),
  access: ({ db }) => accessVerbs(db),
  clients: ({ db, hot }) => clientVerbs(db, hot),
  authorizationServers: ({ db }) => authorizationServerVerbs(db),
  sessions: ({ db, hot }) => sessionVerbs(db, hot),
  secondFactors: ({ db }) => secondFactorVerbs(db),
  passkeys: ({ db }) => passkeyVerbs(db),
  notices: ({ db }) => noticeVerbs(db),
  authorizations: ({ db, hot }) => authorizationVerbs(db, hot),
  deviceCodes: ({ db }) => deviceCodeVerbs(db),
  grants: ({ db, hot }) => grantVerbs(db, hot),
  invites: ({ db }) => inviteVerbs(db),
  passwordResets: ({ db }) => passwordResetVerbs(db),
  changeNotices: ({ db }) => changeNoticeVerbs(db),
  resetRequests: ({ db }) => resetRequestVerbs(db),
  events: ({ db, hot, atEnd }) => eventVerbs(db, hot, atEnd),
  counts: ({ db }) => countVerbs(db),
  hooks: ({ db }) => hookVerbs(db),
  hookVariables: ({ db }) => hookVariableVerbs(db),
  hookExecutions: ({ db }) => hookExecutionVerbs(db),
  packageBuilds: ({ db }) => packageBuildVerbs(db),
  signInHistories: ({ db }) => signInHistoryVerbs(db),
  resources: ({ db }) => resourceVerbs(db),
  keptAnswers: ({ db }) => keptAnswerVerbs(db),
  refusals: ({ db }) => refusalVerbs(db),
  limitCounts: ({ db }) => limitCountVerbs(db),
};

const nouns = Object.entries(makers);

/** The same nouns, each with what `of` makes of its functions. */
function eachNoun(of: (make: (place: Place) => object) => object): StoreVerbs {
  // Same nouns, same functions.
  return Object.fromEntries(nouns.map(([noun, make]) => [noun, of(make)])) as unknown as StoreVerbs;
}

/** The unguarded functions on a pool. */
export function verbsOn(db: Knex, hot: HotVerbs): StoreVerbs {
  const place = { db, hot, atEnd: null };
  return eachNoun((make) => make(place));
}

/** The functions in a transaction, each run by `around`. */
export function verbsInside(db: Knex, hot: HotVerbs, atEnd: AtEnd, around: Around): StoreVerbs {
  const place = { db, hot, atEnd };
  const guarded = guard(around);
  return eachNoun((make) => lazily(() => guarded(make(place))));
}

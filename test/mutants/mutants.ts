/** All mutants. A condition that decides about security belongs here as soon as its test is written. */

import type { Mutant } from './mutant.ts';
import { accessTokens } from './themes/access-tokens.ts';
import { administrators } from './themes/administrators.ts';
import { arrivals } from './themes/arrivals.ts';
import { authorize } from './themes/authorize.ts';
import { callers } from './themes/callers.ts';
import { certificates } from './themes/certificates.ts';
import { clients } from './themes/clients.ts';
import { data } from './themes/data.ts';
import { documents } from './themes/documents.ts';
import { hooks } from './themes/hooks.ts';
import { limits } from './themes/limits.ts';
import { links } from './themes/links.ts';
import { management } from './themes/management.ts';
import { proofs } from './themes/proofs.ts';
import { refresh } from './themes/refresh.ts';
import { sessions } from './themes/sessions.ts';
import { signIn } from './themes/sign-in.ts';
import { tokens } from './themes/tokens.ts';

export const mutants: readonly Mutant[] = [
  ...tokens,
  ...accessTokens,
  ...refresh,
  ...proofs,
  ...clients,
  ...certificates,
  ...data,
  ...documents,
  ...authorize,
  ...signIn,
  ...sessions,
  ...links,
  ...hooks,
  ...callers,
  ...limits,
  ...administrators,
  ...management,
  ...arrivals,
];

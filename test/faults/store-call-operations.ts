/** Every operation whose calls of the store are made to fail. */

import { accountOperations } from './store-call-accounts.ts';
import { hookOperations } from './store-call-hooks.ts';
import { managementOperations } from './store-call-management.ts';
import { ownAccountOperations } from './store-call-own-account.ts';
import { pageOperations } from './store-call-pages.ts';
import { programOperations } from './store-call-programs.ts';
import { pushedOperations } from './store-call-pushed.ts';
import { repeatedOperations } from './store-call-repeats.ts';
import { tokenOperations } from './store-call-tokens.ts';
import type { Operation } from './store-calls.ts';

export const allOperations: readonly Operation[] = [
  ...programOperations,
  ...tokenOperations,
  ...pageOperations,
  ...accountOperations,
  ...ownAccountOperations,
  ...hookOperations,
  ...managementOperations,
  ...pushedOperations,
  ...repeatedOperations,
];

/** Which column keeps which field, of builds of packages and remembered sign-ins. */

import type { PackageBuildRecord } from '../package-builds.ts';
import type { SignInHistoryRecord } from '../sign-in-histories.ts';
import { json, shape } from './shape.ts';

export const packageBuilds = shape<PackageBuildRecord>('package_builds', 'id', {
  accountId: 'account_id',
  id: 'id',
  packages: json('packages'),
  state: 'state',
  digest: 'digest',
  failure: 'failure',
  attempts: 'attempts',
  dueAt: 'due_at',
  createdAt: 'created_at',
  updatedAt: 'updated_at',
});

export const signInHistories = shape<SignInHistoryRecord>('sign_in_histories', null, {
  accountId: 'account_id',
  userId: 'user_id',
  history: json('history'),
  updatedAt: 'updated_at',
});

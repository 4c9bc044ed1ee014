/** Mapping between columns and fields of package builds. */

import type { PackageBuildRecord } from '../package-builds.ts';
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

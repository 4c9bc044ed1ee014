/** The same for management, whose requests make and delete: fewer of them here, all of them in the drill O7. */

import { manage, unfitForManagement } from './amounts.ts';
import { declareGenerated } from './generated-requests.ts';
import { managing } from './operations.ts';
import { readSeed } from './seed.ts';

declareGenerated({
  surfaces: managing,
  seed: readSeed(),
  amountsOf: (_kind, operations) => new Map(operations.map(({ name }) => [name, manage.few])),
  isWhole: () => false,
  without: unfitForManagement,
});

/** Requests made by the contracts alone, right ones and ones with exactly one thing wrong, against the running service. */

import { amountsOf } from './amounts.ts';
import { declareGenerated } from './generated-requests.ts';
import { using } from './operations.ts';
import { readSeed } from './seed.ts';

declareGenerated({ surfaces: using, seed: readSeed(), amountsOf, isWhole: (kind) => kind === 'sqlite' });

/**
 * Requests made by the contracts alone, right ones and ones with exactly one thing wrong, against the running service.
 */

import { declareGenerated } from './generated-requests.ts';
import { using } from './operations.ts';

declareGenerated(using);

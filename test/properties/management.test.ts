/** The same for management, in its own run: its requests make and delete what others are about. */

import { declareGenerated } from './generated-requests.ts';
import { managing } from './operations.ts';

declareGenerated(managing);
declareGenerated(managing, 'administrators');

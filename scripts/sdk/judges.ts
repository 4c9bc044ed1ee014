/** All judges, in the order of the table. */

import { generatedOnly } from './generated-only.ts';
import { goJudges } from './go.ts';
import { java } from './java.ts';
import type { Judge } from './judge.ts';
import { python } from './python.ts';
import { rules } from './rules.ts';
import { rust } from './rust.ts';
import { typescript } from './typescript.ts';
import { yaml } from './yaml.ts';

export const judges: readonly Judge[] = [
  ...typescript,
  ...python,
  ...goJudges,
  ...java,
  ...rust,
  ...generatedOnly,
  ...yaml,
  ...rules,
];

import { answerAttacks } from './answers.ts';
import { archiveAttacks } from './archives.ts';
import { nameAttacks } from './names.ts';
import { rangeAttacks } from './ranges.ts';
import type { Attack } from './site.ts';
import { sourceAttacks } from './sources.ts';

export const attacks: readonly Attack[] = [
  ...nameAttacks,
  ...rangeAttacks,
  ...answerAttacks,
  ...archiveAttacks,
  ...sourceAttacks,
];

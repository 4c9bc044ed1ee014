/** Settings for the console and its administrators. */

import { onOff, type Setting } from './setting.ts';

export interface ConsoleRules {
  /** Whether there is a console: its page, its sign-ins, and its tokens. */
  readonly console: boolean;
  /** Whether the console asks for a second factor, whatever the policies say. */
  readonly administratorSecondFactor: boolean;
}

export const consoleSettings = {
  console: onOff('on', 'whether there is a console at `/console`, where administrators sign in'),
  'administrators.second_factor': onOff(
    'off',
    'whether the console asks for a second factor, whatever the policies say',
  ),
} satisfies Record<string, Setting<unknown>>;

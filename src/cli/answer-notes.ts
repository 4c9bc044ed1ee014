/** What a function's answer has that the service would not read, and whether it would read the answer at all. */

import { isOneSlipFrom } from '../config-values.ts';
import { isObject, member } from '../domain/hooks/answers.ts';
import { type Judged, judge } from '../domain/hooks/judge.ts';
import { migratedMembers } from '../domain/hooks/migration-answer.ts';
import type { HookType } from '../store/hooks.ts';

const answerMembers = ['success', 'user'];
const userMembers: Readonly<Record<HookType, readonly string[]>> = {
  'pre-authentication': ['policy_id'],
  'user-migration': migratedMembers,
};
/** Valid answers of each type, in short. */
const answers: Readonly<Record<HookType, string>> = {
  'pre-authentication': '{ success: true, user: { policy_id: <number or null> } }',
  'user-migration': '{ success: true, user: { username or email, … } }',
};
const mostNotes = 10;

/** `context` is what the function got: a member of its user may well be sent back. */
export function notesOn(type: HookType, value: unknown, context: unknown): readonly string[] {
  const { invalid: found } = judgeHere(type, value);
  const invalid = found ? [`${found.fault}: the hook fails; for ${type} return ${answers[type]}`] : [];
  if (!isObject(value)) return invalid;
  const user = member(value, 'user');
  const given = isObject(context) ? member(context, 'user') : null;
  const known = [...userMembers[type], ...(isObject(given) ? Object.keys(given) : [])];
  return [
    ...invalid,
    ...Object.keys(value).flatMap((name) => noteOn(name, name, answerMembers, answerMembers)),
    ...(isObject(user) ? Object.keys(user) : []).flatMap((name) =>
      noteOn(`user.${name}`, name, known, userMembers[type]),
    ),
  ].slice(0, mostNotes);
}

/** What a sign-in would make of it, but for the policies of an account and the name that was typed: neither is known here. */
export function judgeHere(type: HookType, value: unknown): Judged {
  return judge(type, value, { has: () => true });
}

function noteOn(path: string, name: string, known: readonly string[], read: readonly string[]): string[] {
  if (known.includes(name)) return [];
  const meant = read.find((one) => plain(one) === plain(name) || isOneSlipFrom(one, name));
  return [`${path} is ignored${meant === undefined ? '' : `: did you mean ${meant}?`}`];
}

function plain(name: string): string {
  return name.replaceAll('_', '').toLowerCase();
}

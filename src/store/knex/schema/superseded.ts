/**
 * Triggers that write rows of other tables. This release writes them itself (dependants.ts) and keeps the triggers for
 * processes of the release before; they may be missing, as they will in the next release.
 */

/** What a trigger does, without the event that it waits for. */
function bodyOf(text: string): string {
  return text.slice(text.toLowerCase().lastIndexOf(' begin ') + 1);
}

/** Whether a part of a schema is such a trigger. */
export function isSuperseded(part: string, text: string): boolean {
  return part.startsWith('trigger ') && /\b(insert into|update|delete from|merge into)\b/i.test(bodyOf(text));
}

/**
 * Triggers that write rows of other tables. This release writes them itself (dependants.ts) and keeps the triggers for
 * processes of the release before; they may be missing, as they will in the next release.
 */

/** Whether a trigger writes rows, by its text; the event that it waits for (`after update of …`) is no write. */
export function writesRows(trigger: string): boolean {
  const body = trigger.replace(/^.*?\bbegin\b/is, '');
  return /\b(insert\s+into|update(?!\s+(of|on|or)\b)|delete\s+from|merge\s+into)\b/i.test(body);
}

/** Whether a part of this release's schema is such a trigger. */
export function isSuperseded(part: string, text: string): boolean {
  return part.startsWith('trigger ') && writesRows(text);
}

/** What events are found by besides their own columns. */

import { computed, type ListColumn, text } from './list-index.ts';

/**
 * Whom or what an event is about: its target; else what its detail names; else its actor. An expression and no column,
 * because events are sealed and never change.
 */
function concerned(party: 'user' | 'app', actor: 'user' | 'client'): ListColumn {
  const member = `${party}_id`;
  return computed(member, ({ numberIn }) => {
    const target = `case when target_type = '${party}' then target_id end`;
    return `${target}, ${numberIn('detail', member)}, case when actor_type = '${actor}' then actor_id end`;
  });
}

/** Their indexes are those of 0038_event_lookup. */
export const lookupColumns = {
  request_id: text('request_id'),
  user_id: concerned('user', 'user'),
  app_id: concerned('app', 'client'),
} as const satisfies Readonly<Record<string, ListColumn>>;

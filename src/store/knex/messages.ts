import type { Knex } from 'knex';
import { type MessageQueue, messageQueues, mostCountedMessages, type WaitingMessages } from '../messages.ts';

const tables: Readonly<Record<MessageQueue, string>> = {
  change_notice: 'change_notices',
  reset_link: 'reset_requests',
  logout_notice: 'logout_notices',
};

/** Each look goes along the index on the time at which messages are due. */
export async function findWaitingMessages(db: Knex): Promise<WaitingMessages[]> {
  const found: WaitingMessages[] = [];
  for (const queue of messageQueues) {
    const waiting = db(tables[queue]).select('due_at').orderBy('due_at').limit(mostCountedMessages).as('waiting');
    const [row] = await db.from(waiting).count({ count: '*' }).min({ due: 'due_at' });
    found.push({ queue, count: Number(row?.['count']), dueAt: row?.['due'] == null ? null : Number(row['due']) });
  }
  return found;
}

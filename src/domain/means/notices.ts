/** Sends the messages about changes of how users sign in, in the background: no change waits for a mail server. */

import type { Services } from '../../services.ts';
import type { ChangeNoticeRecord } from '../../store/change-notices.ts';
import type { Milliseconds } from '../../store/time.ts';
import { accountOf } from '../accounts/accounts.ts';
import { createOnceAnHour, type Once } from '../audit/once.ts';
import { hour } from '../durations.ts';
import { mailClaimMilliseconds, mailPauses, sendMail } from '../mail.ts';
import { createWorker, type Worker } from '../worker.ts';
import { changeMessage } from './message.ts';
import { paceNotice } from './notice-pace.ts';

const atOnce = 4;
/**
 * Attempts once an hour after the usual ones: longer than an address is held (`authority.ts`), so that no outage of the
 * mail server keeps a change from its owner. A refusal for good (5xx) ends nothing: servers that refuse their sender or
 * miss its password give one for each mailbox.
 */
const mostHourly = 30;

type NoticeServices = Pick<Services, 'store' | 'clock' | 'mailer' | 'addresses' | 'log'>;

/** Sends the stored messages, `atOnce` at a time. */
export function createChangeNotices(services: NoticeServices): Worker {
  const onceAnHour = createOnceAnHour();
  return createWorker<ChangeNoticeRecord>(services, {
    name: 'change notices',
    atOnce,
    claim: (now, { accounts }) => services.store.changeNotices.claim(now, now + mailClaimMilliseconds, 1, accounts),
    deliver: (notice) => deliver(services, onceAnHour, notice),
  });
}

async function deliver(services: NoticeServices, onceAnHour: Once, notice: ChangeNoticeRecord): Promise<void> {
  const { changeNotices, accounts } = services.store;
  const { accountId, id, attempts, changedAt } = notice;
  const record = await accounts.find(accountId);
  const account = record && accountOf(record, services.addresses);
  if (account && notice.allowedAt === null && !(await paceNotice(services, notice))) {
    const happening = { kind: 'held back', about: 'change notices', what: '', source: null };
    if (onceAnHour.isFirst(accountId, happening)) {
      services.log.warn('change notices held back', { account: account.subdomain });
    }
    return;
  }
  const sent = account !== null && (await sendMail(services, account, changeMessage(account, notice)));
  const pause = sent || account === null ? null : pauseAfter(attempts);
  if (pause === null) {
    if (!(await changeNotices.remove(accountId, id, changedAt))) {
      // The same was changed again while the message was being sent: it is reported as well, as one message more.
      await changeNotices.postpone(accountId, id, services.clock.now(), null);
      return;
    }
    if (account && !sent) services.log.warn('change notice given up', { account: account.subdomain });
  } else await changeNotices.postpone(accountId, id, services.clock.now() + pause);
}

/** Null: the message is given up. */
function pauseAfter(attempts: number): Milliseconds | null {
  return mailPauses[attempts - 1] ?? (attempts > mailPauses.length + mostHourly ? null : hour);
}

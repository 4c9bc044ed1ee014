import { randomUUID } from 'node:crypto';

let now = -1;
let begin = '';

/**
 * A UUID of version 7 (RFC 9562 §5.7). It begins with the time in milliseconds, so that the index of events by request
 * grows at its end: at random places it would write a page for each event. Node makes them itself from 24.16 on.
 */
export function newRequestId(): string {
  const time = Date.now();
  if (time !== now) {
    now = time;
    const digits = time.toString(16).padStart(12, '0');
    begin = `${digits.slice(0, 8)}-${digits.slice(8)}-7`;
  }
  return begin + randomUUID().slice(15);
}

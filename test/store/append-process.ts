/** A process that appends events: `node append-process.ts <url> <account> <count>`. */

import { openPatientStore } from '../support/stores.ts';
import { newEvent } from './samples.ts';

const [url = '', account = '', count = ''] = process.argv.slice(2);
const store = await openPatientStore(url);
for (let left = Number(count); left > 0; left -= 1) {
  await store.events.append(newEvent(Number(account), { actorId: process.pid }));
}
await store.close();

import type { ClientAnswer } from '../domain/login/redirect.ts';
import { icons } from './icons.ts';
import { page } from './page.ts';
import { placeOf } from './text.ts';

/** The contents of the page that leads to a client with a response. */
export interface BackView {
  readonly accountName: string;
  readonly answer: ClientAnswer;
}

/**
 * The page that leads to a client with a response. Its form delivers one by POST (OAuth 2.0 Form Post Response Mode 1.0
 * §2): a script of this host submits it at once; without scripts the user presses the button. By hand, there is no
 * script, and the page says what the user decides.
 */
export function backPage({ accountName, answer }: BackView): string {
  const { byHand = false } = answer;
  const isForm = answer.by === 'form_post';
  const address = isForm ? answer.action : answer.location;
  return page(
    'back',
    {
      title: byHand ? 'Go on to the application?' : 'Back to the application',
      accountName,
      script: isForm && !byHand ? 'send-form.js' : undefined,
    },
    {
      icon: byHand ? icons.alert : icons.leave,
      byHand,
      place: placeOf(address),
      address,
      members: isForm ? Object.entries(answer.members) : undefined,
    },
  );
}

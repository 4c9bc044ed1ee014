/** The first step of every account page: find the user of the browser's session, or go to a sign-in. */

import type { operations } from '../../../../generated/pages.ts';
import { enter, enterByForm, type SignInFirst, type Visit } from '../../../domain/own-account/enter.ts';
import type { Origin } from '../../../http/operation.ts';
import { browserState, setCookie } from '../../../pages/cookies.ts';
import { pageHeaders } from '../../../pages/failure-page.ts';
import { formAction, pageLink } from '../../../pages/links.ts';
import type { Done } from '../../../pages/said.ts';
import type { Services } from '../../../services.ts';

type Needs = Pick<Services, 'store' | 'clock' | 'random' | 'vault' | 'limits'>;
type PageId = keyof operations;

interface Onward {
  readonly location: string;
  readonly 'set-cookie': string;
}

/** Either a visit with the headers of its page, or where the browser goes instead. */
type Entered =
  | { readonly visit: Visit; readonly headers: Record<string, string>; readonly onward?: undefined }
  | { readonly visit?: undefined; readonly onward: Onward };

function answered({ account }: Origin, entered: Visit | SignInFirst): Entered {
  if (entered.outcome === 'open') return { visit: entered, headers: pageHeaders() };
  const { requestId, browserSecret } = entered;
  const location = pageLink('continueAuthorization', requestId);
  return { onward: { location, 'set-cookie': setCookie(account, 'tx', browserSecret) } };
}

/** For a page. */
export async function visit(services: Needs, origin: Origin, page: PageId, recent = false): Promise<Entered> {
  const browser = browserState(origin.account, origin.cookies, undefined);
  const wish = { path: formAction(page), recent };
  return answered(origin, await enter(services, origin.account, browser, wish));
}

/** For a form of a page. */
export async function visitByForm(
  services: Needs,
  origin: Origin,
  csrf: string | undefined,
  page: PageId,
  recent = false,
): Promise<Entered> {
  const browser = browserState(origin.account, origin.cookies, undefined);
  const wish = { path: formAction(page), recent };
  return answered(origin, await enterByForm(services, origin.account, browser, csrf, wish));
}

/** Where the browser goes after a form that changed something. */
export function done(page: PageId, word: Done): { readonly location: string } {
  return { location: `${formAction(page)}?${new URLSearchParams({ done: word })}` };
}

/** A number from a form; 0, which is never an id, for anything else. */
export function numberOf(text: string | undefined): number {
  return /^[1-9]\d{0,14}$/.test(text ?? '') ? Number(text) : 0;
}

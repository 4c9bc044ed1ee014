import type { operations } from '../../../generated/pages.ts';
import type { Failure } from '../../domain/failure.ts';
import type { FailureTable, RefusalContext } from '../../http/operation.ts';
import { failurePage, failurePageHeaders, type PageStatus } from '../../pages/failure-page.ts';

const page =
  <Status extends PageStatus>(status: Status) =>
  (failure: Failure, context: RefusalContext) => ({
    status,
    body: failurePage(status, failure, context),
    headers: failurePageHeaders(context),
  });

/** What the user sees of each failure. Refusals that name the user's state come only after the right password. */
export const failures = {
  kinds: {
    not_found: page(404),
    method: page(405),
    size: page(413),
    rate: page(429),
    request: page(400),
    value: page(400),
    caller: page(403),
    client: page(400),
    grant: page(403),
    user: page(403),
    unavailable: page(503),
    internal: page(500),
  },
  codes: {
    cross_site_request: page(403),
    invite_unusable: page(410),
  },
} satisfies FailureTable<operations, string>;

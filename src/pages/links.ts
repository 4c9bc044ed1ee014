import standardDoor from '../../generated/oauth2.json' with { type: 'json' };
import contract from '../../generated/pages.json' with { type: 'json' };
import type { operations } from '../../generated/pages.ts';
import { pathOf } from '../http/contract.ts';

/** The path of a hosted page for a sign-in in progress. */
export function pageLink(operationId: keyof operations, requestId: string): string {
  return `${pathOf(contract, operationId)}?${new URLSearchParams({ request: requestId })}`;
}

/** The path that a page's form is submitted to. */
export function formAction(operationId: keyof operations): string {
  return pathOf(contract, operationId);
}

/** The account page where a password is changed. */
export const passwordLink = pathOf(contract, 'showPasswordChange');

/** The page that asks the user of a session whether to end it. */
export const signOutLink = pathOf(standardDoor, 'endSession');

/**
 * What must not compile: each line behind an `@ts-expect-error` is a mistake that the contract's types catch, and the
 * compiler complains when it catches one no longer. Nothing here runs; `npm run check` compiles it.
 */

import type { operations as oauth2, components as standard } from '../../generated/oauth2.ts';
import type { components, operations as oidc2 } from '../../generated/oidc-2.ts';
import type { operations as pages } from '../../generated/pages.ts';
import type { GrantType } from '../../src/domain/clients/known-values.ts';
import type { AnyReply, FailureTable, Handler, Handlers, Reply } from '../../src/http/operation.ts';
import { failures as oidc2Failures } from '../../src/surfaces/oidc-2/failures.ts';

type Register = Handler<oidc2['registerClient']>;
type Refresh = Handler<oidc2['refreshToken']>;
type Schemas = components['schemas'];

declare const client: Schemas['RegisteredClient'];
declare const withoutId: Omit<Schemas['RegisteredClient'], 'client_id'>;
declare const tokens: Schemas['TokenSet'];

// What the mistakes below are variations of.
export const right: Handlers<oidc2> = {
  registerClient: async (_request, respond) => respond(200, client),
  refreshToken: async (_request, respond) => respond(200, tokens, { 'cache-control': 'no-store' }),
};

// Answers

export const undocumentedStatus: Register = async (_request, respond) =>
  // @ts-expect-error the documented door answers 200
  respond(201, client);

export const statusOfTheOtherDoor: Handler<oauth2['registerClient']> = async (_request, respond) =>
  // @ts-expect-error the standard door answers 201 (RFC 7591 §3.2.1)
  respond(200, client);

export const missingMember: Register = async (_request, respond) =>
  // @ts-expect-error client_id is required
  respond(200, withoutId);

export const wrongType: Register = async (_request, respond) =>
  // @ts-expect-error client_id is a string
  respond(200, { ...client, client_id: 7 });

export const nullMember: Register = async (_request, respond) =>
  // @ts-expect-error what is not set is left out
  respond(200, { ...client, client_uri: null });

export const undefinedMember: Register = async (_request, respond) =>
  // @ts-expect-error what is not set is left out
  respond(200, { ...client, client_uri: undefined });

export const surplusMember: Register = async (_request, respond) =>
  // @ts-expect-error hint is not documented
  respond(400, { error: 'invalid_request', error_description: 'x', hint: 'y' });

export const surplusMemberBesideSpread: Register = async (_request, respond) =>
  // @ts-expect-error a digest never leaves the service
  respond(200, { ...client, secret_digest: 'x' });

export const unknownErrorCode: Register = async (_request, respond) =>
  // @ts-expect-error the codes are a closed list
  respond(400, { error: 'bad_request', error_description: 'x' });

export const errorCodeOfAnotherOperation: Refresh = async (_request, respond) =>
  // @ts-expect-error a code of registration
  respond(400, { error: 'invalid_redirect_uri', error_description: 'x' });

export const otherWords: Register = async (_request, respond) =>
  // @ts-expect-error the description is a constant of the document
  respond(401, { error: 'UnauthorizedError', error_description: 'Token expired' });

export const answerOfAnotherOperation: Register = async (_request, respond) =>
  // @ts-expect-error a token set is not a client
  respond(200, tokens);

export const bodyWithoutContent: Handler<pages['continueAuthorization']> = async (_request, respond) =>
  // @ts-expect-error 303 has no body
  respond(303, 'See other', { location: '/sign-in' });

export const noBody: Register = async (_request, respond) =>
  // @ts-expect-error 200 has a body
  respond(200);

export const dataForAPage: Handler<pages['showSignIn']> = async (_request, respond) =>
  // @ts-expect-error a page is text
  respond(200, { title: 'Sign in' });

export const numberAsHeader: Register = async (_request, respond) =>
  // @ts-expect-error headers are text
  respond(200, client, { 'retry-after': 1 });

// @ts-expect-error only `respond` makes a reply
export const handRolledReply: Register = async () => ({ status: 200, body: client, headers: {} });

declare const replyOfRefresh: Reply<oidc2['refreshToken']>;
// @ts-expect-error a reply belongs to its operation
export const replyOfAnotherOperation: Register = async () => replyOfRefresh;

// @ts-expect-error every way ends in a reply
export const noReply: Register = async () => undefined;

// Requests

export const undocumentedInput: Register = async ({ body }, respond) =>
  // @ts-expect-error requests have no member is_admin
  respond(body.is_admin ? 200 : 200, client);

export const optionalInput: Register = async ({ body }, respond) =>
  // @ts-expect-error client_name is not required by the schema: it may be missing
  respond(200, { ...client, client_name: body.client_name });

export const mutatedInput: Register = async ({ body }, respond) => {
  // @ts-expect-error a request is read only
  body.client_name = 'x';
  return respond(200, client);
};

export const pathThatIsNotThere: Register = async ({ path }, respond) =>
  // @ts-expect-error the path of registration has no parameter
  respond(200, { ...client, client_id: path.client_id });

export const parameterThatIsNotThere: Handler<pages['readAsset']> = async ({ path }, respond) =>
  // @ts-expect-error the parameter is called name
  respond(200, path.file);

export const queryThatIsNotThere: Handler<pages['showConsent']> = async ({ query }, respond) =>
  // @ts-expect-error the parameter is called request
  respond(200, query?.request_id ?? '');

export const bodyThatIsNotThere: Handler<pages['showSignIn']> = async ({ body }, respond) =>
  // @ts-expect-error GET has no body
  respond(200, body.username);

export const callerForGranted: Register = async ({ caller }, respond) =>
  // @ts-expect-error the caller is null where no bearer came
  respond(200, { ...client, account_id: caller.accountId });

// Surfaces

// @ts-expect-error refreshToken has no handler
export const missingOperation: Handlers<oidc2> = { registerClient: right.registerClient };

export const surplusOperation: Handlers<oidc2> = {
  ...right,
  // @ts-expect-error the contract has no such operation
  deleteClient: right.registerClient,
};

export const handlerOfAnotherOperation: Handlers<oidc2> = {
  ...right,
  // @ts-expect-error a handler belongs to its operation
  refreshToken: right.registerClient,
};

// @ts-expect-error one door is not the other
export const handlerOfAnotherSurface: Handler<oauth2['registerClient']> = right.registerClient;

// Lists that the code and the contract both have

/** True, or what only one of them has: the compiler names it. */
type Same<One, Other> = [One, Other] extends [Other, One]
  ? true
  : { readonly onlyIn: Exclude<One | Other, One & Other> };

export const contractListsGrantTypes: Same<standard['schemas']['GrantType'], GrantType> = true;

// Failures

type Oidc2Failures = FailureTable<oidc2, Schemas['ServiceError']>;

const { kinds, codes } = oidc2Failures;

export const undocumentedFailureStatus = {
  codes,
  kinds: {
    ...kinds,
    // @ts-expect-error no operation documents 418
    internal: { status: 418, body: { error: 'server_error', error_description: 'x' } },
  },
} satisfies Oidc2Failures;

export const undocumentedFailureBody = {
  kinds,
  codes: {
    ...codes,
    // @ts-expect-error 401 of a refresh says invalid_request
    grant_invalid: { status: 401, body: { error: 'invalid_grant', error_description: 'x' } },
  },
} satisfies Oidc2Failures;

export const undocumentedComputedFailure = {
  kinds,
  codes: {
    ...codes,
    // @ts-expect-error no operation documents 409
    conflict: ({ message }) => ({ status: 409, body: { error: 'invalid_request', error_description: message } }),
  },
} satisfies Oidc2Failures;

const { user: _forgotten, ...incomplete } = kinds;
// @ts-expect-error failures of the user have no answer
export const forgottenFailureKind = { kinds: incomplete, codes } satisfies Oidc2Failures;

export const unknownFailureCode = {
  kinds,
  // @ts-expect-error the domain has no such failure
  codes: { ...codes, user_on_holiday: kinds.user },
} satisfies Oidc2Failures;

// @ts-expect-error a failure has a status that the surface documents
export const replyOutsideTheSurface: AnyReply<oidc2> = { status: 201, body: client };

// What the types do not catch, so that `represent.ts` lists members and every answer of a test is held against the
// contract:

// A whole record as the body. The compiler looks for surplus members in literals only.
declare const record: Schemas['RegisteredClient'] & { readonly secretDigest: string };
export const leakedRecord: Register = async (_request, respond) => respond(200, record);
export const leakedBySpread: Register = async (_request, respond) => respond(200, { ...record });

// A failure's status that another operation of the same surface documents: the table answers for all of them.
export const statusOfANeighbour: AnyReply<oidc2> = {
  status: 400,
  body: { error: 'unsupported_grant_type', error_description: 'from registration' },
};

// Limits of the schema (lengths, patterns), and headers: names, values and those that a status has to have.
export const tooLong: Register = async (_request, respond) =>
  respond(200, { ...client, client_name: 'x'.repeat(256) }, { 'x-anything': 'x' });

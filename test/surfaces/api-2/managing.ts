/** The management API as a program calls it. */

import assert from 'node:assert/strict';
import type { CredentialScope } from '../../../src/domain/callers/scopes.ts';
import { unique } from '../../store/samples.ts';
import type { TestApp } from '../../support/app.ts';
import type { Answer } from '../../support/conforms.ts';
import { contracts } from '../../support/conforms.ts';

export interface Management {
  /** Sends a request with the token; a body as JSON when there is one. */
  call(method: string, path: string, json?: unknown, headers?: Readonly<Record<string, string>>): Promise<Answer>;
  /** The body of an answer of this status. */
  done(status: number, method: string, path: string, json?: unknown): Promise<Answer['body']>;
}

/** The API with a token of these scopes, `manage_all` unless said. */
export async function managing(app: TestApp, ...scopes: CredentialScope[]): Promise<Management> {
  const authorization = `Bearer ${await app.bearer(...(scopes.length > 0 ? scopes : (['manage_all'] as const)))}`;
  const call: Management['call'] = (method, path, json, headers = {}) =>
    app.send(method, `/api/2${path}`, { headers: { authorization, ...headers }, ...(json !== undefined && { json }) });
  return {
    call,
    done: async (status, method, path, json) => {
      const answer = await call(method, path, json);
      assert.equal(answer.status, status, `${method} ${path}: ${answer.text}`);
      return answer.body;
    },
  };
}

const names: Readonly<Record<number, string>> = {
  400: 'BadRequestError',
  401: 'UnauthorizedError',
  403: 'ForbiddenError',
  404: 'NotFoundError',
  405: 'MethodNotAllowedError',
  409: 'ConflictError',
  412: 'PreconditionFailedError',
  413: 'PayloadTooLargeError',
  415: 'UnsupportedMediaTypeError',
  422: 'UnprocessableEntityError',
  429: 'TooManyRequestsError',
};

/** The one error form, with a message that matches. */
export function assertRefused(answer: Answer, status: number, message: RegExp = /./, what = ''): void {
  assert.equal(answer.status, status, `${what} ${answer.text}`);
  const { statusCode, name, message: words, ...rest } = answer.body;
  assert.deepEqual([statusCode, name, rest], [status, names[status], {}], what);
  assert.match(words, message, what);
  assert.equal(answer.headers['cache-control'], 'no-store');
}

export interface ContractedOperation {
  readonly operationId: string;
  readonly method: string;
  /** With `{id}` in place. */
  readonly path: string;
  readonly scopes: readonly string[];
  readonly hasBody: boolean;
}

/** Every operation of the contract. */
export function operationsOf(surface = 'api-2'): ContractedOperation[] {
  const { contract } = contracts.get(surface) ?? {};
  return Object.entries(contract?.paths ?? {}).flatMap(([path, item]) =>
    Object.entries(item).map(([method, written]) => {
      const operation = written as {
        operationId: string;
        security: { bearer?: string[] }[];
        requestBody?: unknown;
      };
      return {
        operationId: operation.operationId,
        method: method.toUpperCase(),
        path: path.replace('/api/2', ''),
        scopes: operation.security.flatMap(({ bearer = [] }) => bearer),
        hasBody: operation.requestBody !== undefined,
      };
    }),
  );
}

/** A new user with these members. */
export async function newUser(api: Management, members: Readonly<Record<string, unknown>> = {}) {
  return api.done(201, 'POST', '/users', { email: `${unique('user')}@example.com`, ...members });
}

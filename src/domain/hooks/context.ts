/** What functions receive (the document's §6), by version of the context. */

import type { ClientRecord } from '../../store/clients.ts';
import type { StoredHook } from '../../store/hooks.ts';
import type { PolicyRecord } from '../../store/policies.ts';
import type { UserRecord } from '../../store/users.ts';
import { hasRow } from '../clients/console-client.ts';
import { displayName } from '../clients/represent-metadata.ts';
import { contextVersionOf } from './context-versions.ts';

/** A browser or program, described by its User-Agent. */
interface Browser {
  readonly userAgent: string | null;
}

/** A sign-in whose password was right. */
export interface SigningIn {
  /** The user as they were before this sign-in, including the count of wrong passwords before it. */
  readonly user: UserRecord;
  readonly client: ClientRecord;
  /** As typed. */
  readonly username: string;
  readonly browser: Browser;
  /** The address that it comes from; null if unknown. */
  readonly source: string | null;
  /** Nobody signs in: somebody asks what would happen. */
  readonly isTest?: boolean;
}

type Members = Readonly<Record<string, unknown>>;

const longestUserAgent = 512;

/** The context of one run; `policy` is the one in force so far. */
export function preAuthenticationContext(
  { definition }: Pick<StoredHook, 'definition'>,
  { user, client, username, browser, isTest = false }: SigningIn,
  policy: Pick<PolicyRecord, 'id'>,
  ids: { readonly requestId: string; readonly correlationId: string },
  facts: Members,
): Members {
  const version = contextVersionOf(definition);
  const newer = version === '1.1.0';
  const { failedLoginAttemptsEnabled = false } = definition.options ?? {};
  return {
    context_version: version,
    user: {
      user_identifier: username,
      policy_id: policy.id,
      ...(newer && {
        id: user.id,
        last_login_success: user.lastLogin === null ? null : new Date(user.lastLogin).toISOString(),
      }),
    },
    device: describeBrowser(browser),
    ...(newer && {
      app: { id: hasRow(client) ? client.appId : 0, uuid: client.clientId, name: displayName(client) },
    }),
    ...(newer && failedLoginAttemptsEnabled && { failed_login_attempts: user.invalidLoginAttempts }),
    ...facts,
    ...(isTest && { is_test: true }),
    correlation_id: ids.correlationId,
    request_id: ids.requestId,
  };
}

/** It is the same in every version. */
export function migrationContext(
  { definition }: Pick<StoredHook, 'definition'>,
  attempt: { readonly username: string; readonly password: string },
  ids: { readonly requestId: string; readonly correlationId: string },
): Members {
  return {
    context_version: contextVersionOf(definition),
    user_identifier: attempt.username,
    password: attempt.password,
    correlation_id: ids.correlationId,
    request_id: ids.requestId,
  };
}

function describeBrowser({ userAgent }: Browser): Members {
  const shown = userAgent?.slice(0, longestUserAgent) ?? null;
  return { user_agent: shown, is_mobile: /\b(?:Mobi|Mobile|Android|iPhone|iPad|iPod)/i.test(shown ?? '') };
}

import type { Services } from '../../services.ts';
import type { DeviceCodeRecord } from '../../store/device-codes.ts';
import type { Account } from '../accounts/account.ts';
import { recordEvent } from '../audit/record.ts';
import { type BrowserState, requireCsrf } from '../login/authorization-request.ts';
import { countFailures } from '../login/count-failures.ts';
import { noParameters, type OpenedRequest, openRequest } from '../login/open-request.ts';
import { normalUserCode, shownUserCode, userCodeDigest } from './user-code.ts';

interface TypedCode {
  readonly userCode: string;
  /** The address that it came from. */
  readonly source: string;
  /** Our page on which the browser ends up. */
  readonly doneUri: string;
}

type EnteredCode =
  | ({ readonly outcome: 'begun' } & OpenedRequest)
  /** `wrong`: no device shows it now, for whatever reason. */
  | { readonly outcome: 'wrong' | 'missing' };

/** Where the typed code is stored for the page that shows it again. */
const place = 'authorization_requests|user code';

/**
 * Begins the sign-in for the device that shows the code (RFC 8628 §3.3). Wrong codes count as failed sign-ins of their
 * source. Throws `cross_site_request`, `rate_limited`.
 */
export async function enterUserCode(
  services: Pick<Services, 'store' | 'clock' | 'random' | 'vault' | 'limits'>,
  account: Account,
  browser: BrowserState,
  csrf: string | undefined,
  typed: TypedCode,
): Promise<EnteredCode> {
  requireCsrf(browser, csrf);
  const userCode = normalUserCode(typed.userCode);
  if (userCode === '') return { outcome: 'missing' };
  const opened = await countFailures(services.limits, account, typed.source, async () => {
    const digest = userCodeDigest(services.vault, account.record, userCode);
    const device = await services.store.deviceCodes.findByUserCode(account.id, digest);
    const client = device && (await services.store.clients.findByApp(account.id, device.appId));
    if (client && device.decision === null && device.expiresAt > services.clock.now()) {
      const parameters = parametersOf(services, account, device, userCode, typed.doneUri);
      return openRequest(services, account, client, parameters, browser);
    }
    // The person who typed is unknown.
    const actor = { type: 'user', id: null } as const;
    const target = { type: 'account', id: account.id } as const;
    await recordEvent(services.store, services, account, { action: 'device.code_refused', actor, target, detail: {} });
    return null;
  });
  return opened ? { outcome: 'begun', ...opened } : { outcome: 'wrong' };
}

function parametersOf(
  { vault }: Pick<Services, 'vault'>,
  account: Account,
  { digest, scope, serverId }: DeviceCodeRecord,
  userCode: string,
  doneUri: string,
) {
  const shown = Buffer.from(shownUserCode(userCode));
  return {
    ...noParameters,
    redirectUri: doneUri,
    redirectUriGiven: false,
    scope,
    serverId,
    device: { digest, sealedUserCode: vault.seal(account.record, place, shown) },
  };
}

/** The code that the user typed for this sign-in, in display form. */
export function typedUserCode({ vault }: Pick<Services, 'vault'>, account: Account, sealedUserCode: string): string {
  return vault.unseal(account.record, place, sealedUserCode).toString('utf8');
}

/** What `npm run conformance -- --account` prints: for people, or with `--json` one JSON value. */

import { describeError } from '../../src/cli/errors.ts';
import { asInvocation, note } from '../../src/cli/invocation.ts';
import { withServices } from '../../src/cli/session.ts';
import { certify } from './certify.ts';
import type { Suite } from './suite.ts';

interface Printing {
  readonly envFile: string | undefined;
  readonly json: boolean;
}

type Certified = Awaited<ReturnType<typeof certify>>;

/** Answers the exit code. */
export async function runCertify(subdomain: string, given: Suite, { envFile, json }: Printing): Promise<number> {
  const suite = readSuite(given);
  if (typeof suite === 'string') {
    console.error(suite);
    return 2;
  }
  try {
    return await asInvocation({ json, envFile }, async () => {
      const certified = await withServices((services) => certify(services, subdomain, suite));
      if (!certified.issuer.startsWith('https:')) {
        note(`warning: the suite asks https addresses alone, and this account is at ${certified.issuer}`);
      }
      console.log(json ? JSON.stringify(certified) : textOf(certified));
      return 0;
    });
  } catch (error) {
    const { message, exitCode } = describeError(error);
    console.error(message);
    return exitCode;
  }
}

/** What is wrong, where something is: the suite's alias is a part of addresses. */
function readSuite({ url, alias }: Suite): Suite | string {
  const parsed = URL.parse(url);
  if (parsed?.protocol !== 'https:') return '--suite must be an https address';
  if (!/^[\w-]{1,50}$/.test(alias)) return '--alias must have 1 to 50 letters, digits, _ or -';
  return { url: parsed.href.replace(/\/$/, ''), alias };
}

function textOf({ issuer, user, initial_access_token: token, expires_in: seconds, configurations }: Certified): string {
  const { openid, fapi_ps256: ps256, fapi_es256: es256 } = configurations;
  const block = (title: string, configuration: object) => `${title}:\n\n${JSON.stringify(configuration, null, 2)}\n`;
  return [
    `Issuer                ${issuer}`,
    `Sign in as            ${user.email}`,
    `Password              ${user.password}`,
    `Initial access token  ${token}`,
    `                      for ${seconds / 3600} hours; run this again for another one`,
    '',
    block('Configuration of the OpenID Connect plans, for the tab JSON', openid),
    block('Configuration of the FAPI 2.0 plans with PS256', ps256),
    block('Configuration of the FAPI 2.0 plans with ES256', es256),
  ].join('\n');
}

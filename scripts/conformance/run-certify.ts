/** What `npm run conformance -- --account` prints: for people, into files, or with `--json` as one JSON value. */

import { join } from 'node:path';
import { replacePrivateFile } from '../../src/adapters/private-file.ts';
import { describeError } from '../../src/cli/errors.ts';
import { asInvocation, note, readSettings } from '../../src/cli/invocation.ts';
import { doubtMutualTls } from '../../src/cli/mutual-tls-findings.ts';
import { withServices } from '../../src/cli/session.ts';
import { requireAccount } from '../../src/domain/accounts/accounts.ts';
import { certify } from './certify.ts';
import { fapiPlans } from './plans.ts';
import type { Suite } from './suite.ts';

interface Running {
  readonly envFile: string | undefined;
  readonly json: boolean;
  /** Where to write the configurations, each into a file of its own; undefined: they are printed. */
  readonly folder: string | undefined;
  /** Where the proxy asks for certificates; undefined: nowhere. */
  readonly mutualTls: string | undefined;
}

type Certified = Awaited<ReturnType<typeof certify>>;

/** Answers the exit code. */
export async function runCertify(subdomain: string, given: Suite, running: Running): Promise<number> {
  const { envFile, json, folder, mutualTls = null } = running;
  const suite = readSuite(given);
  if (typeof suite === 'string') {
    console.error(suite);
    return 2;
  }
  try {
    return await asInvocation({ json, envFile }, async () => {
      const certified = await withServices(async (services) => {
        const made = await certify(services, subdomain, suite, mutualTls);
        const doubt = doubtMutualTls(readSettings(), await requireAccount(services, subdomain));
        if (doubt) note(`warning: ${doubt.detail}; ${doubt.remedy}`);
        return made;
      });
      if (!certified.issuer.startsWith('https:')) {
        note(`warning: the suite asks https addresses alone, and this account is at ${certified.issuer}`);
      }
      if (folder !== undefined) writeAll(folder, certified);
      console.log(json ? JSON.stringify(certified) : textOf(certified, folder));
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

/** They hold private keys and a token. */
function writeAll(folder: string, { configurations }: Certified): void {
  for (const [id, configuration] of Object.entries(configurations)) {
    replacePrivateFile(fileOf(folder, id), `${JSON.stringify(configuration, null, 2)}\n`);
  }
}

function fileOf(folder: string, id: string): string {
  return join(folder, `${id}.json`);
}

function textOf(certified: Certified, folder: string | undefined): string {
  const { issuer, user, initial_access_token: token, expires_in: seconds, configurations } = certified;
  const plans = fapiPlans(true);
  const block = ([id, configuration]: [string, object]) => {
    const plan = plans.find((one) => one.id === id);
    const variants = Object.entries(plan?.variants ?? {}).map((pair) => pair.join('='));
    const title = plan ? `${plan.title}: ${[plan.plan, ...variants].join(', ')}` : 'OpenID Connect: all its plans';
    const where = folder === undefined ? JSON.stringify(configuration, null, 2) : `    ${fileOf(folder, id)}`;
    return `${title}\n\n${where}\n`;
  };
  return [
    `Issuer                ${issuer}`,
    `Sign in as            ${user.email}`,
    `Password              ${user.password}`,
    `Initial access token  ${token}`,
    `                      for ${seconds / 3600} hours; run this again for another one`,
    '',
    'Configurations, for the tab JSON:',
    '',
    ...Object.entries(configurations).map(block),
  ].join('\n');
}

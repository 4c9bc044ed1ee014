import { ConfigMistakes, readConfig } from '../../src/config.ts';
import type { Mistake } from './mistake.ts';

/** A setting of the environment, and what is said of it. */
const mistakes: readonly (readonly [setting: string, says: RegExp])[] = [
  ['PORT=http', /port from 1 to 65535/],
  ['PORT=70000', /port from 1 to 65535/],
  ['HOST=localhost:3000', /IP address or a host name, without a port/],
  ['HOST=0.0.0.0', /set PUBLIC_SCHEME=https and TRUST_PROXY .* or INSECURE_HTTP=1/],
  ['PUBLIC_SCHEME=HTTPS', /http or https/],
  ['SERVICE_DOMAIN=https://id.example.com', /host name with an optional port, such as id\.example\.com/],
  ['SERVICE_DOMAIN=id_example.com', /host name with an optional port, such as id\.example\.com/],
  ['DATABASE_URL=mysql://db/gatehouse', /sqlite:<file> or postgres:/],
  ['DATABASE_URL=data/gatehouse.db', /sqlite:<file> or postgres:/],
  ['DATABASE_URL=sqlite:', /sqlite:<file> or postgres:/],
  ['TRUST_PROXY=yes', /networks \(10\.0\.0\.0\/8\) separated by commas/],
  ['TRUST_PROXY=10.0.0.0/33', /networks \(10\.0\.0\.0\/8\) separated by commas/],
  ['TRUST_PROXY=0.0.0.0/0', /must not include all addresses/],
  ['TRUST_PROXI=10.0.0.1', /did you mean TRUST_PROXY\?/],
  ['DATABASE_URI=sqlite:x.db', /did you mean DATABASE_URL\?/],
  ['GHOST=1', /is not read; if it was to be a setting, write HOST/],
  ['port=3000', /is not read; if it was to be a setting, write PORT/],
  ['LOG_LEVEL=verbose', /debug or info or warn or error/],
  ['LOG_LEVEL=INFO', /debug or info or warn or error/],
  ['SMTP_URL=mail.example.com', /smtp:\/\/ or smtps:\/\/ with a host/],
  ['SMTP_URL=smtp://', /smtp:\/\/ or smtps:\/\/ with a host/],
  ['MAIL_FROM=Gatehouse', /an address, or a name with an address in angle brackets/],
  ['EGRESS=10.0.0.0/8', /public, none, or hosts \(api\.example\.com/],
  ['HOOK_EGRESS=all of it', /public, none, or hosts \(api\.example\.com/],
  ['HOOK_RUNTIMES=jsruntime12.x=node', /identifiers .* each with an optional =\/path\/of\/node/],
  ['HOOK_PACKAGES=on', /confined or unconfined/],
  ['NPM_REGISTRY=http://x y', /none, or an http or https URL/],
  ['METRICS_TOKEN=short', /16 to 256 characters/],
  ['START_PAGE=home', /account or docs/],
  ['INSECURE_HTTP=yes', /0 or 1/],
  ['DATABASE_WAIT_MILLISECONDS=1s', /whole milliseconds from 100 to 60000/],
  ['DATABASE_POOLING=statement', /session or transaction/],
  ['DRAIN_SECONDS=2m', /whole seconds from 0 to 300/],
];

function told(setting: string): string {
  const at = setting.indexOf('=');
  try {
    const { warnings } = readConfig({ PATH: '/bin', [setting.slice(0, at)]: setting.slice(at + 1) });
    return warnings.join(' ');
  } catch (error) {
    if (error instanceof ConfigMistakes) return error.mistakes.join(' ');
    throw error;
  }
}

export const configurationMistakes: readonly Mistake[] = mistakes.map(([setting, says]) => ({
  made: setting,
  told: async () => told(setting),
  says,
}));

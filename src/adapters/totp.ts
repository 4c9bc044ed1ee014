import { Secret, TOTP } from 'otpauth';
import type { Totp } from '../services.ts';

/**
 * The parameters that every authenticator app supports (RFC 6238 §4, §5.2): a step before and after the current one
 * allows for wrong clocks.
 */
const rules = { algorithm: 'SHA1', digits: 6, period: 30 } as const;
const window = 1;

function secretOf(seed: Buffer): Secret {
  return Secret.fromHex(seed.toString('hex'));
}

/** Time-based one-time codes (RFC 6238). */
export function createTotp(): Totp {
  return {
    findStep: (seed, code, now) => {
      const token = { ...rules, token: code, secret: secretOf(seed), timestamp: now, window };
      const delta = TOTP.validate(token);
      return delta === null ? null : TOTP.counter({ period: rules.period, timestamp: now }) + delta;
    },
    describe: (seed, issuer, label) => {
      const secret = secretOf(seed);
      return { secret: secret.base32, url: new TOTP({ ...rules, issuer, label, secret }).toString() };
    },
  };
}

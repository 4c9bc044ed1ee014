/** What the proxy in front of an account does about certificates of clients (RFC 8705). */

import { oneOf, type Setting } from './setting.ts';

export interface MutualTls {
  /**
   * Whether clients may show certificates (RFC 8705), and which ones the proxy hands over: those whose chain it verified,
   * or any whose key the client has.
   */
  readonly mutualTls: 'off' | 'verified' | 'any';
  /** Where the proxy asks clients for certificates; null: at the account's own address. */
  readonly mutualTlsOrigin: string | null;
}

export const mutualTlsSettings = {
  mutual_tls: oneOf(
    'off',
    ['off', 'verified', 'any'],
    'which certificates of clients the proxy hands over in `Client-Cert`: none count, those whose chain it verified, or any',
  ),
  mutual_tls_origin: httpsOrigin(
    "where the proxy asks clients for certificates, if not at the account's own address, which browsers use too",
  ),
} satisfies Record<string, Setting<unknown>>;

/** An https origin, or nothing. */
function httpsOrigin(meaning: string): Setting<string | null> {
  return {
    meaning,
    fallback: '',
    allowed: 'an https address without a path, such as `https://acme.id.example.com:8443`',
    form: { kind: 'text' },
    parse: (text) => {
      if (text === '') return null;
      const origin = text.startsWith('https:') ? URL.parse(text)?.origin : undefined;
      return origin === text ? text : undefined;
    },
  };
}

/** Settings for clients that are known by their metadata documents. */

import { rolesOfApps, type Setting } from './setting.ts';

/** Nowhere, anywhere, or only at the listed hosts, as in a URL: lower case, with a port other than 443. */
type DocumentHosts = 'off' | 'any' | readonly string[];

export interface DocumentRules {
  /** From where clients may be known by their metadata documents; they count as open-registered ones. */
  readonly documentHosts: DocumentHosts;
  /** Names of the roles whose users may use such clients. */
  readonly documentRoles: readonly string[];
}

const plain = /^(?:[a-z\d-]+(?:\.[a-z\d-]+)+|\[[\da-f:]+\])(?::\d+)?$/;

/** `example.com:8443`, as a URL would write it. There are no patterns: a subdomain may be another owner's. */
function isHost(text: string): boolean {
  return plain.test(text) && URL.parse(`https://${text}/`)?.href === `https://${text}/`;
}

const documentHosts: Setting<DocumentHosts> = {
  meaning: 'which clients are known by a metadata document, whose https address is their `client_id`',
  fallback: 'off',
  allowed: '`off`, `any`, or hosts separated by commas (`app.example.com`)',
  form: { kind: 'text' },
  parse: (text) => {
    if (text === 'off' || text === 'any') return text;
    const hosts = text
      .split(',')
      .map((host) => host.trim())
      .filter(Boolean);
    return hosts.length > 0 && hosts.every(isHost) ? hosts : undefined;
  },
};

export const documentSettings = {
  client_id_metadata_documents: documentHosts,
  client_id_metadata_roles: rolesOfApps('a client with a metadata document'),
};

/** Which client a certificate is for, by its subject (RFC 8705 §2.1.2). */

import type { X509Certificate } from 'node:crypto';
import { isIP } from 'node:net';
import type { CertificateSubject } from '../../store/client-metadata.ts';
import { nameOf, readName } from './distinguished-name.ts';
import { invalid } from './extra-metadata.ts';

interface SubjectKind {
  /** What a registered value must be, or null if it is. */
  fault(value: string): string | null;
  isIn(certificate: X509Certificate, value: string): boolean;
}

/** Names in a certificate that are of its subject alone: a common name is no host. */
const alternative = { subject: 'never' } as const;

const kinds: Readonly<Record<keyof CertificateSubject, SubjectKind>> = {
  tls_client_auth_subject_dn: {
    fault: (value) => (readName(value) === null ? 'must be a distinguished name as RFC 4514 writes it' : null),
    isIn: ({ subject }, value) => {
      const name = nameOf(subject);
      return name !== null && name === readName(value);
    },
  },
  tls_client_auth_san_dns: {
    fault: (value) => (/^[\w-]+(\.[\w-]+)*$/.test(value) ? null : 'must be a DNS name without wildcards'),
    isIn: (certificate, value) => certificate.checkHost(value, { ...alternative, wildcards: false }) !== undefined,
  },
  tls_client_auth_san_uri: {
    fault: (value) => (/^[\x21-\x7e]+$/.test(value) && URL.canParse(value) ? null : 'must be a URI'),
    isIn: ({ subjectAltName }, value) => urisIn(subjectAltName).includes(value),
  },
  tls_client_auth_san_ip: {
    // A zone is of one host, and in no certificate.
    fault: (value) => (isIP(value) === 0 || value.includes('%') ? 'must be an IP address without a zone' : null),
    isIn: (certificate, value) => certificate.checkIP(value) !== undefined,
  },
  tls_client_auth_san_email: {
    fault: (value) => (/^[\x21-\x7e]+@[\w.-]+$/.test(value) ? null : 'must be an e-mail address'),
    isIn: (certificate, value) => certificate.checkEmail(value, alternative) !== undefined,
  },
};

const members = Object.keys(kinds) as (keyof CertificateSubject)[];

/** The one member that names the subject. Throws `client_metadata_invalid` if there is none, or more than one. */
export function readSubject(request: CertificateSubject): CertificateSubject {
  const [name, ...others] = members.filter((member) => request[member]);
  if (name === undefined || others.length > 0) {
    throw invalid('token_endpoint_auth_method', `tls_client_auth requires exactly one of ${members.join(', ')}`);
  }
  const value = request[name] ?? '';
  const fault = kinds[name].fault(value);
  if (fault !== null) throw invalid(name, fault);
  return { [name]: value };
}

/** Whether the certificate is for the subject; never for one that names nobody. */
export function isForSubject(certificate: X509Certificate, subject: CertificateSubject): boolean {
  const named = members.filter((member) => subject[member] !== undefined);
  return named.length > 0 && named.every((member) => kinds[member].isIn(certificate, subject[member] ?? ''));
}

/** Node separates the names by commas, and writes one that could be mistaken for several as a JSON text. */
function urisIn(names = ''): string[] {
  const uris: string[] = [];
  for (const [, kind, text = ''] of names.matchAll(/(?:^|, )([^:",]+):("(?:[^"\\]|\\.)*"|[^,]*)/gy)) {
    if (kind === 'URI') uris.push(text.startsWith('"') ? String(JSON.parse(text)) : text);
  }
  return uris;
}

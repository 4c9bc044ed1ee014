/**
 * The token in an Authorization header (RFC 6750 §2.1). The scheme is case-insensitive; `bearer:<token>` is an older
 * form.
 */
export function bearerToken(header: string | undefined): string | null {
  return /^bearer(?::\s*|\s+)([\w.~+/-]+=*)\s*$/i.exec(header ?? '')?.[1] ?? null;
}

/** The token in an Authorization header with the scheme `DPoP` (RFC 9449 §7.1). */
export function dpopToken(header: string | undefined): string | null {
  return /^dpop\s+([\w.~+/-]+=*)\s*$/i.exec(header ?? '')?.[1] ?? null;
}

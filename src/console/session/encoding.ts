/** Texts of bytes, as OAuth writes them (RFC 7515 §2). */

export function base64url(bytes: Uint8Array): string {
  return btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '');
}

export const base64urlOfText = (text: string): string => base64url(new TextEncoder().encode(text));

export async function digestOf(text: string): Promise<string> {
  return base64url(new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text))));
}

export const randomText = (): string => base64url(crypto.getRandomValues(new Uint8Array(32)));

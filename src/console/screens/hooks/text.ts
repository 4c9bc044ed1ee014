/** Functions travel in base64 of their UTF-8. */

export function encodeText(text: string): string {
  const bytes = new TextEncoder().encode(text);
  return btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(''));
}

export function decodeText(encoded: string): string {
  const bytes = Uint8Array.from(atob(encoded), (character) => character.charCodeAt(0));
  return new TextDecoder().decode(bytes);
}

/** What is wrong with a text, and where the surface said that it is. */
export interface Fault {
  readonly message: string;
  readonly line: number;
  readonly column: number;
}

/** The place that a refusal of a function names, from 1; null where it names none. */
export function faultIn(message: string): Fault | null {
  const found = /line (\d+), column (\d+)/.exec(message);
  return found ? { message, line: Number(found[1]), column: Number(found[2]) } : null;
}

/**
 * Characters that a store or another surface's format cannot hold: C0 controls except tab, line feed and carriage
 * return, U+FFFE, U+FFFF (XML 1.0 §2.2) and lone surrogates.
 */
export function hasControlCharacter(text: string): boolean {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: finding them is the purpose
  return !text.isWellFormed() || /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/.test(text);
}

/**
 * Characters that a store or another surface's format cannot hold: C0 controls except tab, line feed and carriage
 * return, U+FFFE, U+FFFF (XML 1.0 §2.2) and lone surrogates.
 */
export function hasControlCharacter(text: string): boolean {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: finding them is the purpose
  return !text.isWellFormed() || /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/.test(text);
}

/**
 * The same as a `pattern` of the contracts, for each text of a request that has no closer one. It leaves out what the
 * dialects of regular expressions write in different ways: U+FFFE, U+FFFF and surrogates. Bodies and queries are
 * checked where they are read, so the validator leaves this pattern out.
 */
export const everyText = '^[^\\x00-\\x08\\x0B\\x0C\\x0E-\\x1F]*$';

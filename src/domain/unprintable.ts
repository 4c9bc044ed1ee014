/**
 * Characters that are not readable text: control characters (C0, DEL, C1), which a terminal obeys and XML 1.0 §2.2
 * cannot carry, line separators, lone surrogates, and the bidirectional controls that change how a text reads.
 */
export const unprintable = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069]/u;

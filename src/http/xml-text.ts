/** Text as the content of an XML element (XML 1.0 §2.4); a carriage return would else be read as a line feed (§2.11). */
export function escapeXml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('\r', '&#13;');
}

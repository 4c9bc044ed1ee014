/**
 * Escapes text for the content of an XML element (XML 1.0 §2.4). Carriage returns are escaped too, since they would be
 * read as line feeds (§2.11).
 */
export function escapeXml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('\r', '&#13;');
}

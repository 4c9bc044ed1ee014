/** Who asks, in the user name and the password of HTTP. */

/** A Basic header (RFC 7617). */
export function basic(id: string, secret: string): { authorization: string } {
  return { authorization: `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}` };
}

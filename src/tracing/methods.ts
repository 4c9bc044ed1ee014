const methods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'];

/** A method that is not known is `_OTHER`, as the semantic conventions have it. */
export function methodOf(method: string): string {
  return methods.includes(method) ? method : '_OTHER';
}

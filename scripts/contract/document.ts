/** Contracts as plain JSON, and the way through them. */

export interface JsonObject {
  readonly [name: string]: unknown;
}

/** A bundled contract: all its references lead to places in itself. */
export type Document = JsonObject;

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** One step further in a JSON pointer (RFC 6901) that begins with `#`. */
export function step(pointer: string, name: string | number): string {
  return `${pointer}/${String(name).replaceAll('~', '~0').replaceAll('/', '~1')}`;
}

/** The names that a pointer goes through. */
export function stepsOf(pointer: string): string[] {
  const steps = pointer.replace(/^#\/?/, '').split('/');
  return steps.filter((name) => name !== '').map((name) => name.replaceAll('~1', '/').replaceAll('~0', '~'));
}

/** The values along a pointer, the outermost first, as far as the document has them. References are not followed. */
export function* valuesAlong(document: Document, pointer: string): Generator<{ name: string; value: unknown }> {
  let value: unknown = document;
  yield { name: '', value };
  for (const name of stepsOf(pointer)) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return;
    value = (value as JsonObject)[name];
    yield { name, value };
  }
}

/** What a reference of the document leads to; undefined if it leads nowhere. */
export function follow(document: Document, reference: string): unknown {
  const values = [...valuesAlong(document, reference)];
  return values.length === stepsOf(reference).length + 1 ? values.at(-1)?.value : undefined;
}

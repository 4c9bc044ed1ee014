/**
 * What the contract says and its checks do not hold. `x-checked-later` names keywords of the schema or the parameter
 * that it stands in, or of the schema that the reference beside it leads to: the operation sees to them itself, and for
 * each the extension says why.
 */

export const checkedLater = 'x-checked-later';

/** The keywords that an operation may check itself. */
export const laterKeywords: readonly string[] = ['required', 'enum', 'const', 'pattern'];

/**
 * `error`: its error, or the words of it, is documented. `order`: something else is refused first. `ignored`: other
 * values are accepted and have no effect. `fields`: an item of an answer holds the members that the request names.
 */
export const laterReasons: readonly string[] = ['error', 'order', 'ignored', 'fields'];

type Node = Readonly<Record<string, unknown>>;

/** The document without the keywords that are checked later, and without the extension. What has none is shared. */
export function withoutLaterChecks<Document extends object>(document: Document): Document {
  return loosen(document, document) as Document;
}

function loosen(value: unknown, document: object): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) {
    const items = value.map((item) => loosen(item, document));
    return items.some((item, index) => item !== value[index]) ? items : value;
  }
  const node = checkedLater in value ? leaveOut(value as Node, document) : (value as Node);
  const entries = Object.entries(node).map(([key, item]) => [key, loosen(item, document)] as const);
  return entries.some(([key, item]) => item !== node[key]) ? Object.fromEntries(entries) : node;
}

/** A reference is replaced by what it leads to, with what is written beside it. */
function leaveOut({ [checkedLater]: later, ...node }: Node, document: object): Node {
  const { $ref, ...beside } = node;
  const whole = typeof $ref === 'string' ? { ...targetOf($ref, document), ...beside } : node;
  return Object.fromEntries(Object.entries(whole).filter(([key]) => !Object.hasOwn(later as Node, key)));
}

/** What a reference within the document leads to. Throws where that is nothing. */
export function targetOf(reference: string, document: object): Node {
  const steps = reference.slice('#/'.length).split('/');
  const find = (at: unknown, step: string) => (at as Node | undefined)?.[step.replaceAll('~1', '/')];
  const found = steps.reduce<unknown>(find, document);
  if (found === undefined) throw new Error(`the contract has no ${reference}`);
  return found as Node;
}

/** Answers in XML as a client reads them, by a library as it comes: without the service's guard. */

import assert from 'node:assert/strict';
import { parseString } from 'xml2js';

/** An element as the library hands it over. */
interface Node {
  readonly '#name': string;
  readonly $?: Readonly<Record<string, string>>;
  readonly _?: string;
  readonly $$?: readonly Node[];
}

/** The value of a document: objects of elements, lists, texts, integers and nulls. */
export function readXmlAnswer(text: string): unknown {
  const options = { explicitChildren: true, preserveChildrenOrder: true, explicitRoot: false, strict: true };
  let root: Node | undefined;
  parseString(text, { ...options, async: false, includeWhiteChars: true }, (error, found) => {
    if (error) throw error;
    root = found as Node;
  });
  assert.ok(root, 'the document has no root');
  return valueOfNode(root);
}

function valueOfNode({ '#name': name, $: attributes = {}, _: text = '', $$: children = [] }: Node): unknown {
  if (attributes['nil'] === 'true') {
    assert.equal(text + children.length, '0', `${name} is nil but has content`);
    return null;
  }
  if (attributes['type'] === 'array' || name === 'errors') return children.map(valueOfNode);
  if (children.length > 0) {
    const names = children.map((child) => child['#name']);
    assert.equal(new Set(names).size, names.length, `${name} contains an element twice`);
    return Object.fromEntries(children.map((child) => [child['#name'], valueOfNode(child)]));
  }
  if (attributes['type'] === 'integer') {
    assert.match(text, /^-?\d+$/, name);
    return Number(text);
  }
  return text;
}

/** What Node prints for an object besides its members: a class name, braces, a date. */

import { indented, mostItems, type Shape, type Writing } from './writing.ts';

function className(value: object): string | null {
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype === null) return null;
  const maker = (prototype as { constructor?: unknown }).constructor;
  return typeof maker === 'function' && typeof maker.name === 'string' && maker.name !== '' ? maker.name : 'Object';
}

/** `write` formats a value one level deeper. */
export function shapeOf(
  value: Record<PropertyKey, unknown>,
  write: (item: unknown) => string,
  writing: Writing,
): Shape {
  const name = className(value) ?? '[Object: null prototype]';
  const inner = (item: unknown) => indented(writing, () => write(item));
  const listed = (items: readonly unknown[], prefix: string): Shape => ({
    base: '',
    prefix,
    braces: ['[', ']'],
    isList: true,
    entries: () => shorten(items, items.length, inner),
  });
  const based = (base: string): Shape => ({ base, prefix: '', braces: ['{', '}'], isList: false, entries: () => [] });
  if (Array.isArray(value)) {
    const prefix = name === 'Array' ? '' : `${name}(${value.length}) `;
    return { ...listed(value, prefix), entries: () => writeItems(value, inner) };
  }
  if (ArrayBuffer.isView(value) && !(value instanceof DataView)) {
    const items = value as unknown as readonly number[];
    if (name === 'Buffer') return { ...based(writeBuffer(items)), isList: true };
    return listed(items, `${name}(${items.length}) `);
  }
  if (value instanceof Map) {
    const pairs = [...value].map(([key, item]) => ({ key, item }));
    const entries = () => shorten(pairs, pairs.length, ({ key, item }) => `${inner(key)} => ${inner(item)}`);
    return { base: '', prefix: `${name}(${value.size}) `, braces: ['{', '}'], isList: false, entries };
  }
  if (value instanceof Set) {
    const entries = () => shorten([...value], value.size, inner);
    return { base: '', prefix: `${name}(${value.size}) `, braces: ['{', '}'], isList: false, entries };
  }
  if (typeof value === 'function') return based(writeFunction(value as unknown as { name: unknown }, name));
  if (value instanceof RegExp) return based(RegExp.prototype.toString.call(value));
  if (value instanceof Date) {
    return based(Number.isNaN(value.getTime()) ? 'Invalid Date' : value.toISOString());
  }
  if (value instanceof Error) return based(writeError(value));
  if (value instanceof Promise) {
    return { base: '', prefix: 'Promise ', braces: ['{', '}'], isList: false, entries: () => [] };
  }
  if (value instanceof Number || value instanceof String || value instanceof Boolean) {
    return based(`[${name}: ${write(value.valueOf())}]`);
  }
  const prefix = name === 'Object' ? '' : `${name} `;
  return { base: '', prefix, braces: ['{', '}'], isList: false, entries: () => [] };
}

function shorten<Item>(items: readonly Item[], count: number, one: (item: Item) => string): string[] {
  const texts: string[] = [];
  for (let index = 0; index < Math.min(count, mostItems); index++) texts.push(one(items[index] as Item));
  if (count > mostItems) texts.push(`... ${count - mostItems} more item${count - mostItems > 1 ? 's' : ''}`);
  return texts;
}

/** Counts the gaps of a sparse array. */
function writeItems(list: readonly unknown[], one: (item: unknown) => string): string[] {
  const texts: string[] = [];
  let index = 0;
  while (index < list.length && texts.length < mostItems) {
    const from = index;
    while (index < list.length && !(index in list) && index - from < mostItems) index += 1;
    const gap = index - from;
    texts.push(gap > 0 ? `<${gap} empty item${gap > 1 ? 's' : ''}>` : one(list[index++]));
  }
  const surplus = list.length - index;
  if (surplus > 0) texts.push(`... ${surplus} more item${surplus > 1 ? 's' : ''}`);
  return texts;
}

function writeBuffer(bytes: readonly number[]): string {
  const hex = Array.from(bytes.slice(0, 50), (byte) => byte.toString(16).padStart(2, '0')).join(' ');
  const surplus = bytes.length - 50;
  return `<Buffer ${hex}${surplus > 0 ? ` ... ${surplus} more byte${surplus > 1 ? 's' : ''}` : ''}>`;
}

function writeFunction(value: { name: unknown }, name: string): string {
  const isClass = /^class\b/.test(Function.prototype.toString.call(value));
  if (isClass) return `[class ${String(value.name) || '(anonymous)'}]`;
  return value.name === '' ? `[${name} (anonymous)]` : `[${name}: ${String(value.name)}]`;
}

function writeError(error: Error): string {
  return typeof error.stack === 'string' && error.stack !== '' ? error.stack : `[${String(error)}]`;
}

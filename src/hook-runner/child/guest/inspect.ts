/** Formats values as Node's `util.inspect` does, for the output of functions. */

import { assemble } from './layout.ts';
import { shapeOf } from './shapes.ts';
import { indented, type Shape, type Writing } from './writing.ts';

const deepest = 2;
const mostStringCharacters = 10_000;
const lineWidth = 80;

export function inspect(value: unknown, options?: { readonly depth?: number | null } | null): string {
  const depth = options?.depth;
  const depthLimit = depth === null ? Number.POSITIVE_INFINITY : (depth ?? deepest);
  return write(value, 0, { around: [], referred: new Map(), depthLimit, indentation: 0, level: 0 }, true);
}

function write(value: unknown, level: number, writing: Writing, isTop = false): string {
  if (typeof value === 'string') return writeString(value, writing, isTop);
  if (typeof value === 'bigint') return `${value}n`;
  if (typeof value === 'symbol') return value.toString();
  if (value === null || (typeof value !== 'object' && typeof value !== 'function')) {
    return Object.is(value, -0) ? '-0' : String(value);
  }
  if (writing.around.includes(value)) {
    const number = writing.referred.get(value) ?? writing.referred.size + 1;
    writing.referred.set(value, number);
    return `[Circular *${number}]`;
  }
  return writeObject(value as Record<PropertyKey, unknown>, level, writing);
}

function writeString(text: string, writing: Writing, isTop: boolean): string {
  const kept = text.length > mostStringCharacters ? text.slice(0, mostStringCharacters) : text;
  const surplus = text.length - kept.length;
  const tail = surplus > 0 ? `... ${surplus} more character${surplus > 1 ? 's' : ''}` : '';
  // Long strings inside objects are split after their line breaks.
  if (!isTop && kept.length > 16 && kept.length > lineWidth - writing.indentation - 4) {
    const lines = kept.split(/(?<=\n)/);
    return lines.map(quote).join(` +\n${' '.repeat(writing.indentation + 2)}`) + tail;
  }
  return quote(kept) + tail;
}

const escapes: Readonly<Record<string, string>> = { '\b': '\\b', '\t': '\\t', '\n': '\\n', '\f': '\\f', '\r': '\\r' };

function quote(text: string): string {
  const mark = !text.includes("'") ? "'" : !text.includes('"') ? '"' : /[`]|\$\{/.test(text) ? "'" : '`';
  const body = text.replace(/[\p{Cc}\\'\ud800-\udfff]/gu, (character) => {
    if (character === "'") return mark === "'" ? "\\'" : character;
    if (character === '\\') return '\\\\';
    const code = character.charCodeAt(0);
    if (code >= 0xd800) return `\\u${code.toString(16).toUpperCase()}`;
    return escapes[character] ?? `\\x${code.toString(16).toUpperCase().padStart(2, '0')}`;
  });
  return mark + body + mark;
}

function writeObject(value: Record<PropertyKey, unknown>, level: number, writing: Writing): string {
  const shape = shapeOf(value, (item) => write(item, level + 1, writing), writing);
  const keys = keysOf(value, shape.isList);
  if (keys.length === 0 && shape.base !== '') return shape.base;
  // Empty objects are never too deep.
  if (keys.length === 0 && sizeOf(value, shape) === 0) return shape.prefix + shape.braces.join('');
  if (level > writing.depthLimit) {
    // Without the size before its braces.
    const name = shape.prefix.replace(/\(\d+\)|\s+$/g, '') || (shape.isList ? 'Array' : 'Object');
    return name.startsWith('[') ? name : `[${name}]`;
  }
  writing.around.push(value);
  writing.level = level;
  const entries = shape.entries();
  for (const key of keys) entries.push(writeMember(value, key, level, writing));
  writing.around.pop();
  const number = writing.referred.get(value);
  const opening = (number === undefined ? '' : `<ref *${number}> `) + shape.prefix + shape.braces[0];
  return assemble(entries, shape.base, [opening, shape.braces[1]], shape.isList ? value : null, level, writing);
}

function sizeOf(value: object, { isList }: Shape): number {
  if (value instanceof Map || value instanceof Set) return value.size;
  return isList ? (value as readonly unknown[]).length : 0;
}

function keysOf(value: object, isList: boolean): PropertyKey[] {
  const names = Object.keys(value).filter((name) => !(isList && /^\d+$/.test(name)));
  const symbols = Object.getOwnPropertySymbols(value).filter(
    (key) => Object.hasOwn(value, key) && enumerable(value, key),
  );
  return [...names, ...symbols];
}

function enumerable(value: object, key: PropertyKey): boolean {
  return Object.getOwnPropertyDescriptor(value, key)?.enumerable === true;
}

function nameOf(key: PropertyKey): string {
  if (typeof key === 'symbol') return key.toString();
  // A name that would set the prototype in a literal.
  if (key === '__proto__') return "['__proto__']";
  return /^[a-zA-Z_]\w*$/.test(String(key)) ? String(key) : quote(String(key));
}

function writeMember(value: Record<PropertyKey, unknown>, key: PropertyKey, level: number, writing: Writing): string {
  const name = nameOf(key);
  const descriptor = Object.getOwnPropertyDescriptor(value, key);
  if (descriptor?.get) return `${name}: ${descriptor.set ? '[Getter/Setter]' : '[Getter]'}`;
  if (descriptor?.set) return `${name}: [Setter]`;
  return `${name}: ${indented(writing, () => write(descriptor?.value, level + 1, writing))}`;
}

/** Plants changes in a copy of a contract. */

import assert from 'node:assert/strict';

type Json = string | number | boolean | null | Json[] | { [name: string]: Json };
type Node = Json[] | { [name: string]: Json };

/**
 * The names on the way from the document's root, separated by spaces; references are followed, parameters are named.
 */
type Place = string;

/** A contract that can be changed. Each method throws where its place is not there. */
export class Draft {
  readonly document: { [name: string]: Json };

  constructor(text: string) {
    this.document = JSON.parse(text);
  }

  set(place: Place, value: Json): void {
    const { node, name } = this.#find(place);
    (node as { [name: string]: Json })[name] = value;
  }

  /** Of an object or list: appends a member without a name, or writes the named ones. */
  add(place: Place, value: Json): void {
    const node = this.#node(place.split(' '));
    if (Array.isArray(node)) node.push(value);
    else Object.assign(node, value);
  }

  remove(place: Place): void {
    const { node, name } = this.#find(place);
    const member = (node as { [name: string]: Json })[name];
    assert.notEqual(member, undefined, place);
    if (Array.isArray(node)) node.splice(Number(name), 1);
    else delete node[name];
  }

  /** Gives a member another name, at its position. */
  rename(place: Place, to: string): void {
    const { node, name } = this.#find(place);
    assert.ok(!Array.isArray(node) && node[name] !== undefined, place);
    const entries = Object.entries(node);
    for (const key of Object.keys(node)) delete node[key];
    for (const [key, value] of entries) node[key === name ? to : key] = value;
  }

  /** Takes the value out of a list. */
  without(place: Place, value: Json): void {
    const node = this.#node(place.split(' '));
    assert.ok(Array.isArray(node) && node.includes(value), place);
    node.splice(node.indexOf(value), 1);
  }

  /** Gives the component that `place` refers to another name, everywhere. */
  renameComponent(place: Place, to: string): void {
    const reference = this.read(`${place} $ref`);
    assert.ok(typeof reference === 'string', place);
    this.rename(reference.slice('#/'.length).replaceAll('/', ' '), to);
    const renamed = `${reference.slice(0, reference.lastIndexOf('/'))}/${to}`;
    const text = JSON.stringify(this.document).replaceAll(JSON.stringify(reference), JSON.stringify(renamed));
    Object.assign(this.document, JSON.parse(text));
  }

  /** Writes what `place` refers to in place of the reference. */
  writeOut(place: Place): void {
    const { node, name } = this.#find(place);
    (node as { [name: string]: Json })[name] = structuredClone(this.#node(place.split(' ')));
  }

  read(place: Place): Json | undefined {
    const { node, name } = this.#find(place);
    return (node as { [name: string]: Json })[name];
  }

  #find(place: Place): { node: Node; name: string } {
    const names = place.split(' ');
    const last = names.pop() ?? '';
    const node = last === '$ref' ? this.#walk(names) : this.#node(names);
    return { node, name: indexIn(node, last, (value) => this.#resolve(value)) };
  }

  #node(names: readonly string[]): Node {
    return this.#resolve(this.#walk(names)) as Node;
  }

  /** What is at a place, which may be a reference. */
  #walk(names: readonly string[]): Node {
    let node: Json = this.document;
    for (const name of names) {
      const inside = this.#resolve(node);
      const value: Json | undefined = (inside as { [name: string]: Json })[
        indexIn(inside as Node, name, (one) => this.#resolve(one))
      ];
      assert.ok(typeof value === 'object' && value !== null, `${names.join(' ')}: ${name}`);
      node = value;
    }
    return node;
  }

  #resolve(value: Json): Json {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
    const { $ref: reference } = value;
    return typeof reference === 'string' ? this.#node(reference.slice('#/'.length).split('/')) : value;
  }
}

/** In a list a parameter is found by its name. */
function indexIn(node: Node, name: string, resolve: (value: Json) => Json): string {
  if (!Array.isArray(node) || /^\d+$/.test(name)) return name.replaceAll('~1', '/').replaceAll('~0', '~');
  const found = node.findIndex((one) => (resolve(one) as { name?: Json }).name === name);
  assert.ok(found >= 0, `no ${name} in the list`);
  return String(found);
}

/** A change that somebody might make to a contract. */
export interface Planted {
  readonly surface: string;
  readonly what: string;
  plant(draft: Draft): void;
}

/** One that breaks a client: which rule finds it, and a text that its message, with the place, must match. */
export interface PlantedBreak extends Planted {
  readonly rule: string;
  readonly told: RegExp;
}

/**
 * The XML form of a contract's schemas: element names from the `xml` keyword (OpenAPI 3.1 §4.8.26), kinds from the
 * types.
 */

export interface XmlRules {
  /** The element's name. */
  readonly name: string;
  /** The object member that the element represents. */
  readonly member: string;
  readonly kind: 'object' | 'array' | 'integer' | 'time' | 'text';
  /** Of an object, by element name, in order. */
  readonly members: ReadonlyMap<string, XmlRules>;
  /** Of an array. */
  readonly item: XmlRules | null;
  /** Accepted in a request and ignored. */
  readonly readOnly: boolean;
}

interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly format?: string;
  readonly readOnly?: boolean;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly xml?: { readonly name?: string };
}

/** Reads schemas of a contract; the rules of a schema are computed once. */
export function xmlRulesReader(contract: object): (schema: unknown) => XmlRules {
  const known = new WeakMap<object, XmlRules>();
  return (written) => {
    const schema = written as Schema;
    const rules = known.get(schema) ?? readRules(contract, schema, null);
    known.set(schema, rules);
    return rules;
  };
}

/** `name` is the member's; a schema's own name takes precedence. Throws for a schema without an XML form. */
function readRules(contract: object, written: Schema, name: string | null): XmlRules {
  const schema = resolve(contract, written);
  const { xml, type, format, properties = {}, items, readOnly = false } = schema;
  const own = xml?.name ?? name;
  if (own === null) throw new Error('a schema of application/xml does not name its element');
  const types = [type ?? []].flat().filter((one) => one !== 'null');
  const members = Object.entries(properties).map(([member, of]) => readRules(contract, of, member));
  return {
    name: own,
    member: name ?? own,
    kind: kindOf(types[0], format),
    members: new Map(members.map((member) => [member.name, member])),
    item: items ? readRules(contract, items, null) : null,
    readOnly,
  };
}

function kindOf(type: string | undefined, format: string | undefined): XmlRules['kind'] {
  switch (type) {
    case 'object':
    case 'array':
    case 'integer':
      return type;
    case 'string':
      return format === 'date-time' ? 'time' : 'text';
    default:
      throw new Error(`no XML is known for the type ${type}`);
  }
}

function resolve(contract: object, schema: Schema): Schema {
  if (schema.$ref === undefined) return schema;
  const steps = schema.$ref.slice(2).split('/');
  const found = steps.reduce<unknown>((at, step) => (at as Record<string, unknown>)[step], contract);
  return resolve(contract, found as Schema);
}

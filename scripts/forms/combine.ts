/** Puts the contracts of all surfaces into one, for those who want one client. */

import { type Document, follow, isObject, type JsonObject } from '../contract/document.ts';
import { enumNames } from '../contract-rules/names.ts';

/**
 * The surfaces by precedence: where two have the same name for different things, the one further down gets its surface
 * into its name. A new surface goes to the end, so that no name changes that a client uses.
 */
const precedence = ['api-2', 'auth-2', 'oauth2', 'oidc-2', 'api-1', 'pages', 'api-v1', 'api-v3', 'xml'];

const description = `All surfaces in one contract, for those who want one client; each has a contract of its own beside this one.

Each tag begins with the name of its surface. Where two surfaces call different things by the same name, components and
operations of one of them have its surface in their names (\`XmlUser\`, \`listXmlUsers\`).
`;

type Mutable = Record<string, unknown>;
/** Names of components by their reference before. */
type Names = ReadonlyMap<string, string>;

export function combine(contracts: ReadonlyMap<string, Document>): Document {
  const unknown = [...contracts.keys()].filter((surface) => !precedence.includes(surface));
  if (unknown.length > 0) throw new Error(`${unknown.join(', ')}: put it at the end of \`precedence\``);
  const surfaces = precedence.flatMap((name) => {
    const contract = contracts.get(name);
    return contract === undefined ? [] : [{ name, contract }];
  });
  const [first] = surfaces;
  if (first === undefined) throw new Error('there is no contract');

  const paths: Mutable = {};
  const components: Record<string, Mutable> = {};
  const tags: JsonObject[] = [];
  const operations = new Set<string>();
  const values = new Set<string>();
  const taken: Taken = { byForm: new Map(), places: new Set() };
  for (const { name, contract } of surfaces) {
    const names = nameComponents(name, contract, taken);
    const renamed = rename(contract, names, name) as Document;
    for (const [path, item] of Object.entries(renamed['paths'] as JsonObject)) {
      if (Object.hasOwn(paths, path)) throw new Error(`two surfaces have the path ${path}`);
      const isElsewhere = addressOf(contract) !== addressOf(first.contract);
      paths[path] = {
        ...placeOperations(item as JsonObject, name, operations),
        ...(isElsewhere && { servers: contract['servers'] }),
      };
    }
    for (const [section, members] of Object.entries(renamed['components'] as JsonObject)) {
      components[section] ??= {};
      for (const [key, value] of Object.entries(members as JsonObject)) {
        const chosen = names.get(`#/components/${section}/${key}`) ?? key;
        // The first surface that has it wrote it.
        components[section][chosen] ??= nameValues(value as JsonObject, name, values);
      }
    }
    for (const tag of renamed['tags'] as JsonObject[]) tags.push({ ...tag, name: `${name} ${tag['name']}` });
  }
  const { version, license } = first.contract['info'] as JsonObject;
  return {
    openapi: first.contract['openapi'],
    info: { title: 'Gatehouse', version, license, description },
    servers: first.contract['servers'],
    tags,
    paths,
    components,
    'x-owns': surfaces.flatMap(({ contract }) => contract['x-owns']),
  };
}

/** The names of components that are taken, and what each stands for. */
interface Taken {
  /** Chosen names by what they stand for: the section, the name in its surface, and the form. */
  readonly byForm: Map<string, string>;
  /** Files and classes of generated code are the same without case on some systems, whatever they are of. */
  readonly places: Set<string>;
}

/** The new name of each component of a surface. What looks the same all the way down is the same component. */
function nameComponents(surface: string, contract: Document, { byForm, places }: Taken): Names {
  const names = new Map<string, string>();
  for (const [section, members] of Object.entries(contract['components'] as JsonObject)) {
    for (const name of Object.keys(members as JsonObject)) {
      const reference = `#/components/${section}/${name}`;
      const form = JSON.stringify([reference, writeOut(contract, { $ref: reference }, [])]);
      const chosen = byForm.get(form) ?? takeName(surface, section, name, places);
      byForm.set(form, chosen);
      names.set(reference, chosen);
    }
  }
  return names;
}

function takeName(surface: string, section: string, name: string, places: Set<string>): string {
  const kind = section === 'headers' || section === 'securitySchemes' ? section : 'types';
  const placeOf = (one: string) => `${kind} ${one.toLowerCase()}`;
  const begun = begin(surface, name);
  const other = section === 'securitySchemes' ? begun.slice(0, 1).toLowerCase() + begun.slice(1) : begun;
  const chosen = places.has(placeOf(name)) ? other : name;
  if (places.has(placeOf(chosen))) throw new Error(`${surface}: the component ${chosen} is there twice`);
  places.add(placeOf(chosen));
  return chosen;
}

/** A value with its references written out; one that leads to itself ends there. */
function writeOut(contract: Document, value: unknown, above: readonly string[]): unknown {
  if (Array.isArray(value)) return value.map((one) => writeOut(contract, one, above));
  if (!isObject(value)) return value;
  const { $ref: reference, ...others } = value;
  const written = mapMembers(others, (one) => writeOut(contract, one, above));
  if (typeof reference !== 'string') return { ...value, ...written };
  if (above.includes(reference)) return { ...written, $ref: above.indexOf(reference) };
  const target = follow(contract, reference);
  // The name counts as well, where generated code has it.
  return { ...written, $ref: reference, to: writeOut(contract, target, [...above, reference]) };
}

function mapMembers(value: JsonObject, change: (member: unknown, name: string) => unknown): JsonObject {
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, change(member, name)]));
}

/** The value with the new names of components wherever it refers to them. */
function rename(value: unknown, names: Names, surface: string): unknown {
  if (Array.isArray(value)) return value.map((one) => rename(one, names, surface));
  if (!isObject(value)) return value;
  return mapMembers(value, (member, name) => {
    if ((name === '$ref' || isMapping(value)) && typeof member === 'string') return renameReference(member, names);
    if (name === 'security' && Array.isArray(member))
      return member.map((one) => renameSchemes(one as JsonObject, names));
    // Links within the page of the surface.
    if (name === 'description' && typeof member === 'string') return member.replaceAll('](#', `](/docs/${surface}#`);
    return rename(member, names, surface);
  });
}

/** Of a discriminator: its values by the references of their schemas. */
function isMapping(value: JsonObject): boolean {
  const members = Object.values(value);
  return members.length > 0 && members.every((one) => typeof one === 'string' && one.startsWith('#/components/'));
}

function renameReference(reference: string, names: Names): string {
  const name = names.get(reference);
  return name === undefined ? reference : reference.slice(0, reference.lastIndexOf('/') + 1) + name;
}

function renameSchemes(requirement: JsonObject, names: Names): JsonObject {
  const entries = Object.entries(requirement);
  return Object.fromEntries(
    entries.map(([name, scopes]) => [names.get(`#/components/securitySchemes/${name}`) ?? name, scopes]),
  );
}

/** The operations of a path with ids that nobody has yet, and with tags that say their surface. */
function placeOperations(item: JsonObject, surface: string, operations: Set<string>): JsonObject {
  return mapMembers(item, (operation) => {
    if (!isObject(operation) || typeof operation['operationId'] !== 'string') return operation;
    const { operationId, tags } = operation;
    // `listXmlUsers`: the verb comes first.
    const id = operations.has(operationId) ? operationId.replace(/(?=[A-Z])/, begin(surface, '')) : operationId;
    if (operations.has(id)) throw new Error(`${surface}: the operation ${id} is there twice`);
    operations.add(id);
    return { ...operation, operationId: id, tags: (tags as string[]).map((tag) => `${surface} ${tag}`) };
  });
}

/** A set of values; where others have values of the same names, each name begins with the surface. */
function nameValues(schema: JsonObject, surface: string, taken: Set<string>): JsonObject {
  const names = enumNames(schema);
  const isTaken = names.some((name) => taken.has(name));
  const chosen = isTaken ? names.map((name) => `${begin(surface, '')}_${name}`.toUpperCase()) : names;
  for (const name of chosen) taken.add(name);
  return isTaken ? { ...schema, 'x-enum-varnames': chosen } : schema;
}

/** `ApiV1User` of `User`. */
function begin(surface: string, name: string): string {
  return [...surface.split('-'), name].map((word) => word.slice(0, 1).toUpperCase() + word.slice(1)).join('');
}

/** Servers are the same where their addresses are; words about them differ. */
function addressOf({ servers }: Document): string {
  return JSON.stringify((servers as JsonObject[]).map(({ url }) => url));
}

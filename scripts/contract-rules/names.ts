/** The rules of names: what generators make of the names of values, components and operations. */

import { componentsOf, type Finding, listOf, operationsOf } from './rule.ts';
import { isComponent, type Node, schemasOf } from './schemas-of.ts';

/** Names of what generators write beside the schemas. */
const taken =
  /^(Api(Client|Exception|Response)|Client|Configuration|Error|Model|Object|Request|Response|Server(Configuration|Variable))$/;

/** The name that a generator writes for a value: `x-enum-varnames` says it, else it is made of letters and digits. */
export function enumNames({ enum: values, 'x-enum-varnames': names }: Node): readonly string[] {
  const given = listOf(names).map(String);
  const made = listOf(values).map((value) =>
    String(value)
      .replace(/[^A-Za-z0-9]+/g, '_')
      .replace(/^_|_$/g, ''),
  );
  return (given.length > 0 ? given : made).map((name) => name.toUpperCase());
}

export function enumNamesAreDistinct(contract: Node): Finding[] {
  const findings: Finding[] = [];
  const owners = new Map<string, string>();
  for (const place of schemasOf(contract)) {
    const { schema, at } = place;
    if (!Array.isArray(schema['enum'])) continue;
    const names = enumNames(schema);
    if (names.length !== schema['enum'].length || names.includes('')) {
      findings.push({ at, message: 'Name each value of the enum in `x-enum-varnames`.' });
    }
    if (!isComponent(place)) continue;
    const [component = ''] = at.slice(-1);
    for (const name of names) {
      // Go has constants of a package, not of an enum.
      const owner = owners.get(name);
      if (owner !== undefined) findings.push({ at, message: `\`${name}\` is a value of ${owner} too: name both.` });
      owners.set(name, component);
    }
  }
  return findings;
}

/** Twins by case, of whatever kind: parameters and schemas become types of one package. */
export function namesAreDistinct(contract: Node): Finding[] {
  const seen = new Map<string, string>();
  return Object.entries(componentsOf(contract)).flatMap(([kind, members]) =>
    Object.keys(members).flatMap((name) => {
      const twin = seen.get(name.toLowerCase());
      seen.set(name.toLowerCase(), `${kind}/${name}`);
      const message = `Its name differs from ${twin} in case at most.`;
      return twin === undefined ? [] : [{ at: ['components', kind, name], message }];
    }),
  );
}

export function schemaNames(contract: Node): Finding[] {
  const names = Object.keys(componentsOf(contract)['schemas'] ?? {});
  const operations = operationsOf(contract).map(({ operation }) => String(operation['operationId']).toLowerCase());
  return names.flatMap((name) => {
    const at = ['components', 'schemas', name];
    const message = whyNot(name, names, operations);
    return message === null ? [] : [{ at, message }];
  });
}

/** Why a schema cannot have this name; null where it can. `operations` in lower case. */
function whyNot(name: string, names: readonly string[], operations: readonly string[]): string | null {
  if (!/^[A-Z][A-Za-z0-9]*$/.test(name)) return 'The bundler made this name: refer to a component instead.';
  if (taken.test(name)) return 'Generators use this name themselves.';
  if (name.startsWith('New') && names.includes(name.slice('New'.length))) {
    return 'In Go this is the constructor of the schema without `New`.';
  }
  const [, operation] = /^(.+)(?:Request|Response|Params|Body)$/i.exec(name) ?? [];
  const isMade = operation !== undefined && operations.includes(operation.toLowerCase());
  return isMade ? 'Generators name the parameters or the answers of the operation so.' : null;
}

export function operationNames(contract: Node): Finding[] {
  return operationsOf(contract)
    .filter(({ operation }) => !/^[a-z]+([A-Z][a-z0-9]*)+$/.test(String(operation['operationId'])))
    .map(({ at }) => ({ at: [...at, 'operationId'], message: 'Name the operation by verb and noun.' }));
}

/** What the console completes in the functions of hooks: the members of `types/hooks.d.ts`, as data. */

import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';

interface Member {
  readonly name: string;
  readonly type: string;
  readonly doc?: string;
  /** Of an object, or of the items of a list. */
  readonly members?: readonly Member[];
  readonly values?: readonly string[];
}

const file = join(fileURLToPath(new URL('..', import.meta.url)), 'types/hooks.d.ts');

/** The members of each context by kind of hook and version, of each answer, and how handlers are called. */
export function describeHookTypes(): [name: string, content: string] {
  const program = ts.createProgram([file], { strict: true, lib: ['lib.es2024.d.ts'], types: [], noEmit: true });
  const checker = program.getTypeChecker();
  const source = program.getSourceFile(file);
  const module = source && checker.getSymbolAtLocation(source);
  if (!source || !module) throw new Error(`${file} cannot be read`);
  const exported = new Map(checker.getExportsOfModule(module).map((one) => [one.name, one]));
  const typeOf = (name: string): ts.Type => {
    const symbol = exported.get(name);
    if (!symbol) throw new Error(`${file} does not export ${name}`);
    return checker.getDeclaredTypeOfSymbol(symbol);
  };
  const read = (type: ts.Type) => membersOf(checker, source, type);
  const versions = checker.getPropertiesOfType(typeOf('PreAuthenticationContexts'));
  const contexts = versions.map((one) => [one.name, read(checker.getTypeOfSymbol(one))] as const);
  const migration = read(typeOf('UserMigrationContext'));
  const handlers = { 'pre-authentication': 'PreAuthenticationHandler', 'user-migration': 'UserMigrationHandler' };
  const described = {
    contexts: {
      'pre-authentication': Object.fromEntries(contexts),
      'user-migration': Object.fromEntries(contexts.map(([version]) => [version, migration])),
    },
    answers: {
      'pre-authentication': read(typeOf('PreAuthenticationResult')),
      'user-migration': read(typeOf('UserMigrationResult')),
    },
    handlers: Object.fromEntries(
      Object.entries(handlers).map(([kind, name]) => [kind, signatureOf(exported.get(name))]),
    ),
  };
  return ['console/hook-types.json', `${JSON.stringify(described, null, 2)}\n`];
}

/** How a handler is called, as it is written. */
function signatureOf(symbol: ts.Symbol | undefined): string {
  const [declaration] = symbol?.declarations ?? [];
  if (!declaration || !ts.isTypeAliasDeclaration(declaration)) throw new Error(`${file} has no such handler`);
  return declaration.type.getText().replace(/\s+/g, ' ').replace('( ', '(').replace(/,? \)/, ')');
}

const isGiven = (type: ts.Type) =>
  (type.flags & (ts.TypeFlags.Null | ts.TypeFlags.Undefined | ts.TypeFlags.Void)) === 0;

/** Members that any part of a union has; of a list, those of its items; nothing for what is no object. */
function membersOf(checker: ts.TypeChecker, at: ts.Node, type: ts.Type): readonly Member[] {
  const parts = (type.isUnion() ? type.types : [type]).filter(isGiven);
  const found = new Map<string, ts.Symbol[]>();
  for (const part of parts) {
    const item = checker.isArrayType(part) ? checker.getTypeArguments(part as ts.TypeReference)[0] : undefined;
    const inner = item ?? part;
    if ((inner.flags & ts.TypeFlags.Object) === 0 && !inner.isIntersection()) continue;
    for (const property of checker.getPropertiesOfType(inner)) {
      found.set(property.name, [...(found.get(property.name) ?? []), property]);
    }
  }
  return [...found.values()].map((properties) => memberOf(checker, at, properties));
}

/** A member, which each part of a union may have with a type of its own. */
function memberOf(checker: ts.TypeChecker, at: ts.Node, properties: readonly ts.Symbol[]): Member {
  const types = properties.map((property) => checker.getTypeOfSymbolAtLocation(property, at));
  const own = properties.map((property) => ts.displayPartsToString(property.getDocumentationComment(checker)));
  const doc = [...own, ...types.map((type) => docOfType(checker, type))].find(Boolean);
  const members = types.map((type) => membersOf(checker, at, type)).find(({ length }) => length > 0);
  const parts = types.flatMap((type) => (type.isUnion() ? type.types : [type]));
  const values = parts.filter((type) => type.isStringLiteral()).map(({ value }) => value);
  return {
    name: properties[0]?.name ?? '',
    type: [...new Set(types.map((type) => checker.typeToString(type)))].join(' | '),
    ...(doc && { doc: doc.replaceAll('\n', ' ') }),
    ...(members && { members }),
    ...(values.length > 0 && { values }),
  };
}

/** What is said of a named type holds for a member of it. */
function docOfType(checker: ts.TypeChecker, type: ts.Type): string {
  const named = checker.getNonNullableType(type);
  const [item] = checker.isArrayType(named) ? checker.getTypeArguments(named as ts.TypeReference) : [];
  const symbol = (item ?? named).aliasSymbol ?? (item ?? named).getSymbol();
  const isOurs = symbol?.declarations?.some((one) => one.getSourceFile().fileName === file);
  return symbol && isOurs && symbol.name !== '__type'
    ? ts.displayPartsToString(symbol.getDocumentationComment(checker))
    : '';
}

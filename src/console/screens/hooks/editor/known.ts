/** What is at a place of a function: found in the syntax tree, and in what the types of hooks say of members. */

import { syntaxTree } from '@codemirror/language';
import type { EditorState } from '@codemirror/state';
import types from '../../../../../generated/console/hook-types.json' with { type: 'json' };

export interface Member {
  readonly name: string;
  readonly type: string;
  readonly doc?: string;
  readonly members?: readonly Member[];
  readonly values?: readonly string[];
}

/** What the function is written for. */
export interface Known {
  readonly type: keyof typeof types.contexts;
  readonly version: string;
  readonly variables: readonly string[];
  readonly packages: readonly string[];
}

type Node = ReturnType<ReturnType<typeof syntaxTree>['resolveInner']>;

export const signatureOf = ({ type }: Known): string => types.handlers[type];
const contextOf = ({ type, version }: Known): readonly Member[] => {
  const versions: Readonly<Record<string, readonly Member[]>> = types.contexts[type];
  return versions[version] ?? versions['1.1.0'] ?? [];
};
const answerOf = ({ type }: Known): readonly Member[] => types.answers[type];

const named = (members: readonly Member[] | undefined, name: string) => members?.find((one) => one.name === name);

/** Follows names through members. */
function follow(members: readonly Member[], path: readonly string[]): Member | undefined {
  const [first, ...rest] = path;
  const found = first === undefined ? undefined : named(members, first);
  return rest.length === 0 ? found : found && follow(found.members ?? [], rest);
}

const textOf = (state: EditorState, { from, to }: Node) => state.sliceDoc(from, to);

/** `a.b?.c` as names; null for anything else. */
function pathOf(state: EditorState, node: Node): readonly string[] | null {
  if (node.name === 'VariableName') return [textOf(state, node)];
  if (node.name !== 'MemberExpression') return null;
  const [first, last] = [node.firstChild, node.lastChild];
  const before = first && pathOf(state, first);
  if (!before) return null;
  return last?.name === 'PropertyName' ? [...before, textOf(state, last)] : before;
}

/** The handler: what is assigned to a property of that name. */
function handlerIn(state: EditorState): Node | null {
  let found: Node | null = null;
  syntaxTree(state).iterate({
    enter: ({ node }) => {
      if (found || node.name !== 'AssignmentExpression' || !node.firstChild) return;
      const isHandler = /(?:^|\.)handler$/.test(textOf(state, node.firstChild));
      const assigned = node.lastChild;
      if (isHandler && assigned && /^(?:ArrowFunction|FunctionExpression)$/.test(assigned.name)) found = assigned;
    },
  });
  return found;
}

/** Members by the variables that hold them: the handler's parameter, and what is taken out of it. */
export function variablesIn(state: EditorState, known: Known): ReadonlyMap<string, Member> {
  const variables = new Map<string, Member>();
  const context = { name: 'context', type: 'context', members: contextOf(known) };
  const parameter = handlerIn(state)?.getChild('ParamList')?.getChild('VariableDefinition');
  if (parameter) variables.set(textOf(state, parameter), context);
  const pattern = handlerIn(state)?.getChild('ParamList')?.getChild('ObjectPattern');
  if (pattern) take(state, pattern, context, variables);
  syntaxTree(state).iterate({
    enter: ({ node }) => {
      if (node.name !== 'VariableDeclaration') return;
      const value = node.getChild('Equals')?.nextSibling;
      const path = value && pathOf(state, value);
      const source = path && memberAt(path, variables);
      const [one, several] = [node.getChild('VariableDefinition'), node.getChild('ObjectPattern')];
      if (source && one) variables.set(textOf(state, one), source);
      if (source && several) take(state, several, source, variables);
    },
  });
  return variables;
}

/** `{ user, app: { name } }` */
function take(state: EditorState, pattern: Node, source: Member, variables: Map<string, Member>): void {
  for (const property of pattern.getChildren('PatternProperty')) {
    const key = property.getChild('PropertyName') ?? property.getChild('VariableDefinition');
    const found = key && named(source.members, textOf(state, key));
    if (!found) continue;
    const [one, several] = [property.getChild('VariableDefinition'), property.getChild('ObjectPattern')];
    if (several) take(state, several, found, variables);
    else variables.set(one ? textOf(state, one) : found.name, found);
  }
}

function memberAt(path: readonly string[], variables: ReadonlyMap<string, Member>): Member | undefined {
  const [first = '', ...rest] = path;
  const start = variables.get(first);
  return rest.length === 0 ? start : start && follow(start.members ?? [], rest);
}

/** What stands before the dot of an expression. */
export function membersBefore(state: EditorState, expression: Node, known: Known): readonly Member[] {
  const object = expression.firstChild;
  const path = object && pathOf(state, object);
  if (!path) return [];
  if (path.join('.') === 'process.env') return known.variables.map((name) => ({ name, type: 'string' }));
  return memberAt(path, variablesIn(state, known))?.members ?? [];
}

/** The members of the object that encloses a place: of an answer, or of a pattern that takes a context apart. */
export function membersAround(state: EditorState, inner: Node, known: Known): readonly Member[] {
  const path: string[] = [];
  for (let node: Node | null = inner; node; node = node.parent) {
    const { parent } = node;
    if (/^(?:Property|PatternProperty)$/.test(node.name) && node !== inner && node.getChild('Colon')) {
      const key = node.getChild('PropertyDefinition') ?? node.getChild('PropertyName');
      if (key && inner.from > key.to) path.unshift(textOf(state, key));
    }
    const start =
      node.name === 'ObjectExpression' ? answerAt(parent) : node.name === 'ObjectPattern' && patternAt(parent);
    if (!start) continue;
    const members = start === 'answer' ? answerOf(known) : contextOf(known);
    return path.length === 0 ? members : (follow(members, path)?.members ?? []);
  }
  return [];
}

/** `return { … }`, or `=> ({ … })` */
function answerAt(parent: Node | null): 'answer' | false {
  const isReturned = parent?.name === 'ReturnStatement';
  const isBody = parent?.name === 'ParenthesizedExpression' && parent.parent?.name === 'ArrowFunction';
  return isReturned || isBody ? 'answer' : false;
}

const patternAt = (parent: Node | null) => parent?.name === 'ParamList' && ('context' as const);

/** What a name in the function stands for. */
export function memberUnder(
  state: EditorState,
  at: number,
  known: Known,
): (Member & { from: number; to: number }) | null {
  const node = syntaxTree(state).resolveInner(at, 1);
  const { from, to } = node;
  if (node.name === 'PropertyName' && node.parent?.name === 'MemberExpression') {
    const found = named(membersBefore(state, node.parent, known), textOf(state, node));
    return found ? { ...found, from, to } : null;
  }
  if (node.name === 'VariableName' || node.name === 'VariableDefinition') {
    const found = variablesIn(state, known).get(textOf(state, node));
    return found ? { ...found, from, to } : null;
  }
  if (node.name === 'PropertyDefinition') {
    const found = named(membersAround(state, node, known), textOf(state, node));
    return found ? { ...found, from, to } : null;
  }
  return null;
}

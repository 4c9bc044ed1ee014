import {
  type Completion,
  type CompletionContext,
  type CompletionResult,
  snippetCompletion,
} from '@codemirror/autocomplete';
import { syntaxTree } from '@codemirror/language';
import type { Extension } from '@codemirror/state';
import { hoverTooltip } from '@codemirror/view';
import {
  type Known,
  type Member,
  membersAround,
  membersBefore,
  memberUnder,
  signatureOf,
  variablesIn,
} from './known.ts';

const word = /^[\w$]*$/;

const optionOf = ({ name, type, doc }: Member): Completion => ({
  label: name,
  type: 'property',
  detail: type.length > 40 ? 'object' : type,
  ...(doc !== undefined && { info: doc }),
});

/** Completes members of the context and of answers, variables, and packages. */
export function completeFor(known: () => Known) {
  return ({ state, pos, explicit }: CompletionContext): CompletionResult | null => {
    const node = syntaxTree(state).resolveInner(pos, -1);
    const { parent } = node;
    const offer = (from: number, options: readonly Completion[]): CompletionResult | null =>
      options.length === 0 ? null : { from, options: [...options], validFor: word };
    if (parent?.name === 'MemberExpression' && /^(?:PropertyName|\.|\?\.)$/.test(node.name)) {
      const from = node.name === 'PropertyName' ? node.from : pos;
      return offer(from, membersBefore(state, parent, known()).map(optionOf));
    }
    if (
      node.name === 'String' &&
      parent?.name === 'ArgList' &&
      /require\($/.test(state.sliceDoc(node.from - 8, node.from))
    ) {
      return offer(
        node.from + 1,
        known().packages.map((label) => ({ label, type: 'namespace' })),
      );
    }
    const isName = /^(?:PropertyDefinition|PropertyName|VariableDefinition|VariableName)$/.test(node.name);
    if (!isName && !explicit && node.name !== '{' && node.name !== ',') return null;
    const from = isName ? node.from : pos;
    const around = membersAround(state, node, known());
    if (around.length > 0) return offer(from, around.map(optionOf));
    if (node.name !== 'VariableName' && !explicit) return null;
    const held = [...variablesIn(state, known())].map(([name, member]) => optionOf({ ...member, name }));
    return offer(from, [...held, handlerOf(known())]);
  };
}

const handlerOf = (known: Known): Completion =>
  snippetCompletion('exports.handler = async (context) => {\n  #{}\n};', {
    label: 'exports.handler',
    type: 'function',
    detail: signatureOf(known),
  });

/** Says what a name stands for where the pointer rests. */
export function explain(known: () => Known): Extension {
  return hoverTooltip((view, at) => {
    const found = memberUnder(view.state, at, known());
    if (!found) return null;
    return { pos: found.from, end: found.to, above: true, create: () => ({ dom: hintOf(found) }) };
  });
}

function hintOf({ name, type, doc }: Member): HTMLElement {
  const hint = document.createElement('div');
  hint.className = 'hint';
  const code = document.createElement('code');
  code.textContent = type === name ? name : `${name}: ${type}`;
  hint.append(code);
  if (doc !== undefined) hint.append(`\n${doc}`);
  return hint;
}

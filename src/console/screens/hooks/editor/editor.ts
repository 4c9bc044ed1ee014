/**
 * The editor, which is loaded when a function is opened. It lives in a shadow root: there its styles are constructed
 * sheets, where in the document they would be a style element, which the console's policy forbids.
 */

import { autocompletion, closeBrackets, closeBracketsKeymap, completionKeymap } from '@codemirror/autocomplete';
import { defaultKeymap, history, historyKeymap } from '@codemirror/commands';
import { javascript, javascriptLanguage } from '@codemirror/lang-javascript';
import { json, jsonParseLinter } from '@codemirror/lang-json';
import { bracketMatching, foldGutter, indentOnInput, syntaxTree } from '@codemirror/language';
import { type Diagnostic, forceLinting, linter, lintGutter, lintKeymap } from '@codemirror/lint';
import { MergeView, unifiedMergeView } from '@codemirror/merge';
import { highlightSelectionMatches, search, searchKeymap } from '@codemirror/search';
import { EditorState, type Extension, StateEffect } from '@codemirror/state';
import {
  drawSelection,
  EditorView,
  highlightActiveLine,
  highlightActiveLineGutter,
  keymap,
  lineNumbers,
} from '@codemirror/view';
import type { Fault } from '../text.ts';
import { completeFor, explain } from './complete.ts';
import type { Known } from './known.ts';
import { replacing } from './replacing.ts';
import { lowered, roomy, theme } from './theme.ts';

export type { Known } from './known.ts';

export interface EditorParts {
  /** What it holds, for those who hear it. */
  readonly label: string;
  readonly text: string;
  readonly language: 'javascript' | 'json';
  readonly known: () => Known;
  readonly fault: () => Fault | null;
  readonly changed: (text: string) => void;
  /** What `Mod-s` and `Mod-Enter` do. */
  readonly save: () => void;
  readonly run: () => void;
}

export interface Editor {
  setText(text: string): void;
  /** Looks again at what the surface found wrong. */
  look(): void;
  destroy(): void;
}

const mostFaults = 20;

/** What the surface says has changed, though the text has not: a linter at rest cannot be made to look again. */
const refused = StateEffect.define<null>();

/** Says of what can be typed into that it can be reached, as it can in every browser. */
const named = (label: string, more: Readonly<Record<string, string>> = {}): Extension =>
  EditorView.contentAttributes.of({ 'aria-label': label, tabindex: '0', ...more });

export function openEditor(root: ShadowRoot, parts: EditorParts): Editor {
  const press = (act: () => void) => () => {
    act();
    return true;
  };
  const own = keymap.of([
    { key: 'Mod-s', run: press(parts.save), preventDefault: true },
    { key: 'Mod-Enter', run: press(parts.run), preventDefault: true },
  ]);
  let isTold = false;
  const view = new EditorView({
    root,
    parent: root,
    state: EditorState.create({
      doc: parts.text,
      extensions: [
        own,
        named(parts.label),
        EditorView.updateListener.of(({ docChanged, state }) => {
          if (docChanged && !isTold) parts.changed(state.doc.toString());
        }),
        ...editing,
        ...(parts.language === 'json' ? aboutJson : aboutFunctions(parts)),
      ],
    }),
  });
  return {
    setText: (text) => {
      if (view.state.doc.toString() === text) return;
      isTold = true;
      view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: text } });
      isTold = false;
    },
    look: () => {
      view.dispatch({ effects: refused.of(null) });
      forceLinting(view);
    },
    destroy: () => view.destroy(),
  };
}

const editing: readonly Extension[] = [
  replacing,
  lineNumbers(),
  foldGutter(),
  lintGutter(),
  history(),
  drawSelection(),
  indentOnInput(),
  bracketMatching(),
  closeBrackets(),
  highlightActiveLine(),
  highlightActiveLineGutter(),
  highlightSelectionMatches(),
  search({ top: true }),
  EditorView.lineWrapping,
  // Tab leaves the editor, as everything else on the page.
  keymap.of([
    ...closeBracketsKeymap,
    ...completionKeymap,
    ...searchKeymap,
    ...historyKeymap,
    ...lintKeymap,
    ...defaultKeymap,
  ]),
  theme,
];

const aboutJson: readonly Extension[] = [lowered, json(), autocompletion(), linter(jsonParseLinter(), { delay: 300 })];

function aboutFunctions({ known, fault }: EditorParts): readonly Extension[] {
  return [
    roomy,
    javascript(),
    autocompletion(),
    javascriptLanguage.data.of({ autocomplete: completeFor(known) }),
    explain(known),
    linter(({ state }) => [...syntaxFaults(state), ...told(state, fault())], {
      delay: 300,
      needsRefresh: ({ transactions }) => transactions.some(({ effects }) => effects.some((one) => one.is(refused))),
    }),
  ];
}

/** What the parser could not make sense of. */
function syntaxFaults(state: EditorState): readonly Diagnostic[] {
  const faults: Diagnostic[] = [];
  syntaxTree(state).iterate({
    enter: ({ type, from, to }) => {
      if (!type.isError || faults.length >= mostFaults) return;
      const unexpected = state.sliceDoc(from, Math.min(to, from + 20));
      const message = unexpected === '' ? 'Syntax error: something is missing here' : `Syntax error at ${unexpected}`;
      faults.push({ from, to, severity: 'error', message });
    },
  });
  return faults;
}

/** What the surface refused, at the line and column that it named. */
function told({ doc }: EditorState, fault: Fault | null): readonly Diagnostic[] {
  if (!fault) return [];
  const line = doc.line(Math.min(Math.max(fault.line, 1), doc.lines));
  const from = Math.min(line.from + Math.max(fault.column - 1, 0), line.to);
  return [{ from, to: line.to, severity: 'error', source: 'service', message: fault.message }];
}

export interface DiffParts {
  readonly before: { readonly label: string; readonly text: string };
  readonly after: { readonly label: string; readonly text: string };
  /** Below each other, for a narrow page. */
  readonly isNarrow: boolean;
}

/** Two texts, and what differs. */
export function openDiff(root: ShadowRoot, { before, after, isNarrow }: DiffParts): Pick<Editor, 'destroy'> {
  const collapseUnchanged = { margin: 3, minSize: 6 };
  const shown = (label: string): readonly Extension[] => [
    EditorState.readOnly.of(true),
    named(label, { 'aria-readonly': 'true' }),
    lineNumbers(),
    EditorView.lineWrapping,
    javascript(),
    theme,
  ];
  if (isNarrow) {
    const unified = unifiedMergeView({ original: before.text, mergeControls: false, collapseUnchanged });
    const label = `${before.label} and ${after.label}`;
    const state = EditorState.create({ doc: after.text, extensions: [...shown(label), unified] });
    return new EditorView({ root, parent: root, state });
  }
  return new MergeView({
    root,
    parent: root,
    a: { doc: before.text, extensions: [...shown(before.label)] },
    b: { doc: after.text, extensions: [...shown(after.label)] },
    collapseUnchanged,
  });
}

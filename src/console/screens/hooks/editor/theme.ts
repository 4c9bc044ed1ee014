/** The console's colours inside the editor, which has style sheets of its own: its policy allows no style element. */

import { HighlightStyle, syntaxHighlighting } from '@codemirror/language';
import type { Extension } from '@codemirror/state';
import { EditorView } from '@codemirror/view';
import { tags } from '@lezer/highlight';

const words = HighlightStyle.define([
  { tag: [tags.keyword, tags.operatorKeyword, tags.modifier], color: 'var(--code-keyword)' },
  { tag: [tags.string, tags.regexp, tags.special(tags.string)], color: 'var(--code-text)' },
  { tag: [tags.number, tags.bool, tags.null], color: 'var(--code-number)' },
  { tag: [tags.comment], color: 'var(--quiet)', fontStyle: 'italic' },
  { tag: [tags.propertyName, tags.definition(tags.propertyName)], color: 'var(--code-name)' },
  { tag: tags.invalid, color: 'var(--problem)' },
]);

const look = EditorView.theme({
  '&': { color: 'var(--text)', backgroundColor: 'var(--card)', fontSize: '0.875rem' },
  '&.cm-focused': { outline: 'none' },
  '.cm-scroller': { fontFamily: 'ui-monospace, "Cascadia Mono", Menlo, Consolas, monospace', lineHeight: '1.5' },
  '.cm-content': { caretColor: 'var(--text)' },
  '.cm-cursor, .cm-dropCursor': { borderLeftColor: 'var(--text)' },
  '&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground': {
    backgroundColor: 'var(--code-selection)',
  },
  '.cm-gutters': { color: 'var(--quiet)', backgroundColor: 'var(--ground)', borderColor: 'var(--hairline)' },
  '.cm-activeLine, .cm-activeLineGutter': { backgroundColor: 'var(--code-line)' },
  '.cm-matchingBracket, .cm-selectionMatch': { backgroundColor: 'var(--accent-soft)' },
  '.cm-tooltip, .cm-panels': {
    color: 'var(--text)',
    backgroundColor: 'var(--card)',
    border: '1px solid var(--edge)',
    maxWidth: '30rem',
  },
  '.cm-panels': { maxWidth: 'none' },
  '.cm-tooltip.cm-tooltip-autocomplete > ul > li[aria-selected]': {
    color: 'var(--on-accent)',
    backgroundColor: 'var(--accent)',
  },
  '.cm-completionDetail': { fontStyle: 'normal', marginLeft: '1rem' },
  '.cm-tooltip .hint': { padding: '0.25rem 0.5rem', whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' },
  // In place of images, which the policy does not allow from anywhere but the host.
  '.cm-lint-marker-error': { content: '"●"', color: 'var(--problem)', lineHeight: '1' },
  '.cm-lintRange-error': { backgroundImage: 'none', textDecoration: 'underline wavy var(--problem)' },
  '.cm-diagnostic': { color: 'var(--text)' },
  '.cm-button, .cm-textfield': {
    color: 'var(--text)',
    backgroundColor: 'var(--card)',
    backgroundImage: 'none',
    border: '1px solid var(--edge)',
  },
  '.cm-deletedChunk, &.cm-merge-a .cm-changedLine': { backgroundColor: 'var(--problem-soft)' },
  '&.cm-merge-b .cm-changedLine, .cm-insertedLine': { backgroundColor: 'var(--accent-soft)' },
  '.cm-collapsedLines': { color: 'var(--quiet)', background: 'var(--ground)' },
});

/** A context scrolls beside the function; a function begins with room to write. */
export const lowered: Extension = EditorView.theme({ '&': { maxHeight: '24rem' } });
export const roomy: Extension = EditorView.theme({ '.cm-content, .cm-gutter': { minHeight: '20rem' } });

export const theme: Extension = [look, syntaxHighlighting(words)];

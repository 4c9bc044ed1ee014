import { EditorView } from '@codemirror/view';

/**
 * Where Chromium replaces lines by itself, it gives what remains styles of their own, which the policy refuses and the
 * browser complains of.
 */
export const replacing = EditorView.domEventHandlers({
  beforeinput: (event, view) => {
    const { state } = view;
    const { from, to, empty } = state.selection.main;
    const text = event.data;
    if (event.inputType !== 'insertText' || event.isComposing || text === null) return false;
    if (empty && !text.includes('\n')) return false;
    event.preventDefault();
    const insert = () => state.update(state.replaceSelection(text), { userEvent: 'input.type', scrollIntoView: true });
    const isHandled = state.facet(EditorView.inputHandler).some((handle) => handle(view, from, to, text, insert));
    if (!isHandled) view.dispatch(insert());
    return true;
  },
});

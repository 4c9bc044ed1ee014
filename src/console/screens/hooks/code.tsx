/** Editor and diff on the page: loaded when they are first shown. */

import { useEffect, useRef, useState } from 'preact/hooks';
import { problemOf } from '../../api/problem.ts';
import { ProblemNote, Waiting } from '../../parts/screen.tsx';
import type { DiffParts, Editor, Known } from './editor/editor.ts';
import type { Fault } from './text.ts';

async function load() {
  const { openEditor, openDiff } = await import('./editor/editor.ts');
  return { openEditor, openDiff };
}

type Loaded = Awaited<ReturnType<typeof load>>;

/** The shadow root in which the editor stands, once it is loaded and the page is drawn. */
function useEditor(open: (loaded: Loaded, root: ShadowRoot) => () => void, key: readonly unknown[]) {
  const place = useRef<HTMLDivElement>(null);
  const [loaded, setLoaded] = useState<Loaded | null>(null);
  const [isFailed, setIsFailed] = useState(false);
  const [turn, setTurn] = useState(0);
  useEffect(() => {
    let isGone = false;
    load().then(
      (module) => !isGone && setLoaded(module),
      () => !isGone && setIsFailed(true),
    );
    return () => {
      isGone = true;
    };
  }, [turn]);
  useEffect(() => {
    const host = place.current;
    if (!loaded || !host) return;
    return open(loaded, host.shadowRoot ?? host.attachShadow({ mode: 'open' }));
  }, [loaded, ...key]);
  const again = () => {
    setIsFailed(false);
    setTurn(turn + 1);
  };
  const note = isFailed ? <ProblemNote problem={problemOf(null)} again={again} /> : loaded ? null : <Waiting />;
  return { place, note };
}

export interface CodeProps {
  readonly label: string;
  readonly text: string;
  readonly language?: 'javascript' | 'json';
  readonly known?: Known;
  /** What the surface found wrong, at its place. */
  readonly fault?: Fault | null;
  readonly change: (text: string) => void;
  readonly save?: () => void;
  readonly run?: () => void;
}

const knowsNothing: Known = { type: 'pre-authentication', version: '1.1.0', variables: [], packages: [] };

export function Code(props: CodeProps) {
  const now = useRef(props);
  now.current = props;
  const editor = useRef<Editor | null>(null);
  /** What was typed and has not come back yet: somebody who types fast is ahead of the page. */
  const ahead = useRef<string[]>([]);
  const { place, note } = useEditor(({ openEditor }, root) => {
    editor.current = openEditor(root, {
      label: now.current.label,
      text: now.current.text,
      language: now.current.language ?? 'javascript',
      known: () => now.current.known ?? knowsNothing,
      fault: () => now.current.fault ?? null,
      changed: (text) => {
        ahead.current.push(text);
        now.current.change(text);
      },
      save: () => now.current.save?.(),
      run: () => now.current.run?.(),
    });
    return () => editor.current?.destroy();
  }, []);
  useEffect(() => {
    const at = ahead.current.lastIndexOf(props.text);
    if (at < 0) editor.current?.setText(props.text);
    ahead.current.splice(0, at + 1);
  }, [props.text]);
  useEffect(() => editor.current?.look(), [props.fault]);
  return (
    <div class={`code code-${props.language ?? 'javascript'}`}>
      {note}
      <div ref={place} />
    </div>
  );
}

export function Diff({ before, after }: Omit<DiffParts, 'isNarrow'>) {
  const { place, note } = useEditor(
    ({ openDiff }, root) => {
      const isNarrow = matchMedia('(max-width: 48rem)').matches;
      const diff = openDiff(root, { before, after, isNarrow });
      return () => diff.destroy();
    },
    [before.label, before.text, after.label, after.text],
  );
  return (
    <div class="code">
      {note}
      <div class="diff-heads" aria-hidden="true">
        <span>{before.label}</span>
        <span>{after.label}</span>
      </div>
      <div ref={place} />
    </div>
  );
}

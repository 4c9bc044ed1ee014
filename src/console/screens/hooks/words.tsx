import type { Schemas } from '../../api/contract.ts';

const states: Readonly<Record<Schemas['HookStatus'], string>> = {
  ready: 'runs',
  'create-queued': 'packages wait to be built',
  'create-running': 'packages are built',
  'create-failed': 'packages could not be built',
  'update-queued': 'former version runs, packages wait to be built',
  'update-running': 'former version runs, packages are built',
  'update-failed': 'former version runs, packages could not be built',
};

export function StateOf({
  hook: { disabled, status },
}: {
  readonly hook: Pick<Schemas['Hook'], 'disabled' | 'status'>;
}) {
  if (disabled) return <span class="status">disabled</span>;
  const kind = { ready: 'status-1', 'create-failed': 'status-2', 'update-failed': 'status-2' }[status as string] ?? '';
  return <span class={`status ${kind}`}>{states[status]}</span>;
}

export function OutcomeOf({ outcome }: { readonly outcome: Schemas['HookOutcome'] }) {
  const kind = outcome === 'success' ? 'status-1' : outcome === 'refused' ? '' : 'status-2';
  return <span class={`status ${kind}`}>{outcome}</span>;
}

/** Whether the packages of a hook are on their way. */
export const isBuilding = ({ status }: Pick<Schemas['Hook'], 'status'>): boolean => /-(?:queued|running)$/.test(status);

/** Lines of a function, as it wrote them. */
export function Lines({ title, lines }: { readonly title: string; readonly lines: readonly string[] }) {
  if (lines.length === 0) return <p class="quiet">It wrote nothing.</p>;
  return (
    <section aria-label={title}>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a block that scrolls is reached by the keyboard */}
      <pre tabIndex={0} class="lines">
        <code>{lines.join('\n')}</code>
      </pre>
    </section>
  );
}

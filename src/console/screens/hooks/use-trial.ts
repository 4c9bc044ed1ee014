/** Runs of what is in the editor, with sample, recorded, or edited contexts. */

import { useEffect, useState } from 'preact/hooks';
import { api, getMembers } from '../../api/api.ts';
import type { Schemas } from '../../api/contract.ts';
import { Problem } from '../../api/problem.ts';
import { useAnswer } from '../../api/use-answer.ts';
import { useSending } from '../../parts/use-sending.ts';
import { bodyOf, type Definition } from './definition.ts';
import { encodeText } from './text.ts';

export type TrialResult =
  | { readonly of: 'context'; readonly end: Schemas['HookTestResult'] }
  | { readonly of: 'run'; readonly both: Schemas['HookReplay'] };

export interface Trial {
  /** `sample:1.1.0`, `run:` with its identifier, or `edited`. */
  readonly source: string;
  readonly sources: readonly (readonly [source: string, words: string])[];
  choose(source: string): void;
  /** The context as JSON. */
  readonly text: string;
  edit(text: string): void;
  readonly result: TrialResult | null;
  readonly problem: Problem | null;
  readonly isBusy: boolean;
  run(): Promise<void>;
}

/** What puts a member into the context. */
const optionOf: Readonly<Record<string, string>> = {
  risk: 'risk_enabled',
  location: 'location_enabled',
  mfa_devices: 'mfa_device_info_enabled',
  failed_login_attempts: 'failed_login_attempts_enabled',
};

const recorded = 20;
const shown = (context: unknown) => JSON.stringify(context, null, 2);
const clock = new Intl.DateTimeFormat(undefined, { dateStyle: 'short', timeStyle: 'medium' });

/** `run`: the recorded run to begin with. */
export function useTrial(definition: Definition, hookId: string | null, run: string | null): Trial {
  const samples = useAnswer(() => api.get('/api/2/hooks/contexts', {}), []);
  const runs = useAnswer(async () => {
    if (hookId === null) return { data: [], tag: null, headers: new Headers() };
    const given = { path: { id: hookId }, query: { limit: recorded } };
    return getMembers('/api/2/hooks/{id}/logs', ['request_id', 'created_at', 'outcome'], given);
  }, [hookId]);
  const [source, setSource] = useState(run === null ? `sample:${definition.context_version}` : `run:${run}`);
  const [text, setText] = useState('');
  const [result, setResult] = useState<TrialResult | null>(null);
  /** What a former run answers, or one of another context, is dropped. */
  const { problem, isBusy, send, drop } = useSending();
  const known = (samples.answer?.data ?? []).filter(({ type }) => type === definition.type);
  // A range of versions has the newest.
  const sample = known.find((one) => source === `sample:${one.context_version}`) ?? known.at(-1);
  const sampleText = sample ? shown(included(sample.context, definition.options)) : '';
  const choose = (next: string) => {
    drop();
    setSource(next);
    setResult(null);
  };
  useEffect(() => {
    if (run !== null) choose(`run:${run}`);
  }, [run]);
  useEffect(() => {
    if (source.startsWith('sample:')) setSource(`sample:${definition.context_version}`);
  }, [definition.context_version]);
  useEffect(() => {
    if (source.startsWith('sample:')) setText(sampleText);
    else if (source.startsWith('run:')) setText('');
  }, [source, sampleText]);
  const recordedRun = source.startsWith('run:') ? source.slice('run:'.length) : null;
  const start = () => {
    drop();
    return send(async (isCurrent) => {
      const begun =
        hookId !== null && recordedRun !== null ? replay(hookId, recordedRun, definition) : test(definition, text);
      const next = await begun.catch((error) => {
        if (isCurrent()) setResult(null);
        throw error;
      });
      if (!isCurrent()) return;
      setResult(next);
      if (next.of === 'run') setText(shown(next.both.context));
    });
  };
  const offered = (runs.answer?.data ?? []).map(
    ({ request_id: id, created_at: at, outcome }) =>
      [`run:${id}`, `Run of ${clock.format(new Date(at))}, ${outcome}`] as const,
  );
  return {
    source,
    sources: [
      ...known.map(({ context_version: version }) => [`sample:${version}`, `Sample, version ${version}`] as const),
      ...(recordedRun !== null && !offered.some(([one]) => one === source)
        ? [[source, 'The chosen run'] as const]
        : []),
      ...offered,
      ['edited', 'As edited below'] as const,
    ],
    choose,
    text,
    edit: (next) => {
      drop();
      setText(next);
      setSource('edited');
    },
    result,
    problem,
    isBusy,
    run: start,
  };
}

/** A sample has every member; a function gets those that the options of its hook include. */
function included(context: Readonly<Record<string, unknown>>, options: Definition['options']) {
  const isIncluded = (name: string) => !Object.hasOwn(optionOf, name) || options?.[optionOf[name] ?? ''] === true;
  return Object.fromEntries(Object.entries(context).filter(([name]) => isIncluded(name)));
}

async function replay(id: string, run: string, { code }: Definition): Promise<TrialResult> {
  const { data } = await api.post('/api/2/hooks/{id}/logs/{run}/replay', {
    path: { id, run },
    body: { function: encodeText(code) },
  });
  return { of: 'run', both: data };
}

async function test(definition: Definition, text: string): Promise<TrialResult> {
  const { type, function: code, runtime, timeout, env_vars: variables, packages } = bodyOf(definition);
  const body = { type, function: code, timeout, env_vars: variables, packages, context: contextOf(text) };
  const { data } = await api.post('/api/2/hooks/test', {
    body: { ...body, ...(runtime && { runtime }) } as Schemas['HookTrial'],
  });
  return { of: 'context', end: data };
}

function contextOf(text: string): Record<string, unknown> {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new Problem(400, `The context is not JSON: ${error instanceof Error ? error.message : ''}`);
  }
}

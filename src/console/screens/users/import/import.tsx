import { useEffect, useRef, useState } from 'preact/hooks';
import { type Problem, problemOf } from '../../../api/problem.ts';
import { Screen, Section } from '../../../parts/screen.tsx';
import { hrefOf } from '../../../routing/address.ts';
import { Outcomes } from './outcomes.tsx';
import type { Format } from './pieces.ts';
import { type Existing, importOf } from './run.ts';
import { Running, type Work } from './running.tsx';

const existingWords: readonly (readonly [value: Existing, words: string])[] = [
  ['skip', 'Leave them as they are'],
  ['update', 'Change what the file has of them'],
  ['fail', 'Count their lines as failed'],
];

const columns = [
  ...['email', 'username', 'firstname', 'lastname', 'title', 'department', 'company', 'phone', 'comment'],
  ...['external_id', 'preferred_locale_code', 'email_verified', 'status', 'roles'],
  ...['password_hash', 'password_algorithm', 'password_salt'],
];

const formatOf = ({ name }: File): Format => (/\.(ndjson|jsonl|json)$/i.test(name) ? 'ndjson' : 'csv');

/** A file is tried, and then imported, in calls of a few hundred lines. */
export function ImportUsers() {
  const [file, setFile] = useState<File | null>(null);
  const [format, setFormat] = useState<Format>('csv');
  const [existing, setExisting] = useState<Existing>('skip');
  const [work, setWork] = useState<Work | null>(null);
  const [problem, setProblem] = useState<Problem | null>(null);
  const stop = useRef(new AbortController());
  useEffect(() => () => stop.current.abort(), []);
  const isRunning = work?.state === 'running';
  const choose = () => {
    setWork(null);
    setProblem(null);
  };
  const goOn = async (begun: Work) => {
    setProblem(null);
    stop.current = new AbortController();
    const { signal } = stop.current;
    const running: Work = { ...begun, state: 'running' };
    setWork(running);
    const settle = (state: Work['state']) => setWork((now) => now && { ...now, state });
    try {
      await begun.import.run((tally, read) => setWork((now) => now && { ...now, tally, read }), signal);
      settle(signal.aborted ? 'stopped' : 'done');
    } catch (error) {
      setProblem(problemOf(error));
      settle('stopped');
    }
  };
  const begin = (isDryRun: boolean) => {
    if (!file) return;
    const made = importOf({ file, format, existing }, isDryRun);
    void goOn({ isDryRun, import: made, read: 0, tally: null, state: 'running' });
  };
  const tried = work?.isDryRun && work.state === 'done' ? work.tally : null;
  /** Whether an import would do anything. */
  const isWorthIt = tried !== null && tried.counts.created + tried.counts.updated > 0;
  return (
    <Screen title="Import users" above={{ title: 'Users', href: hrefOf('users') }}>
      <Section title="What to import">
        <form
          class="stack"
          onSubmit={(event) => {
            event.preventDefault();
            begin(true);
          }}
        >
          <p>CSV in UTF-8 with the names of the columns in its first line, or a JSON object in each line.</p>
          <details>
            <summary>Columns</summary>
            <p>
              <code>{columns.join(', ')}</code>, and <code>custom_attributes.</code> with the short name of an
              attribute. Each line needs an e-mail address or a user name. Roles are names with commas between them.
              Passwords are hashes of another service.
            </p>
          </details>
          <div class="fields">
            <label class="field">
              <span>File</span>
              <input
                type="file"
                accept=".csv,.ndjson,.jsonl,.json,text/csv"
                disabled={isRunning}
                onChange={({ currentTarget: { files } }) => {
                  const chosen = files?.[0] ?? null;
                  choose();
                  setFile(chosen);
                  if (chosen) setFormat(formatOf(chosen));
                }}
              />
            </label>
            <label class="field">
              <span>Format</span>
              <select
                value={format}
                disabled={isRunning}
                onChange={(event) => {
                  choose();
                  setFormat(event.currentTarget.value as Format);
                }}
              >
                <option value="csv">CSV</option>
                <option value="ndjson">JSON lines</option>
              </select>
            </label>
            <label class="field">
              <span>Users who exist</span>
              <select
                value={existing}
                disabled={isRunning}
                onChange={(event) => {
                  choose();
                  setExisting(event.currentTarget.value as Existing);
                }}
              >
                {existingWords.map(([value, words]) => (
                  <option key={value} value={value}>
                    {words}
                  </option>
                ))}
              </select>
            </label>
          </div>
          <div class="actions">
            <button type="submit" class={isWorthIt ? undefined : 'primary'} disabled={!file || isRunning}>
              Preview
            </button>
          </div>
        </form>
      </Section>
      {work && (
        <Section title={work.isDryRun ? 'Preview' : 'Import'}>
          <Running
            work={work}
            size={file?.size ?? 0}
            problem={problem}
            stop={() => stop.current.abort()}
            goOn={() => void goOn(work)}
          />
          {work.tally && work.state !== 'running' && <Outcomes tally={work.tally} isDryRun={work.isDryRun} />}
          {isWorthIt && (
            <div class="actions">
              <button type="button" class="primary" onClick={() => begin(false)}>
                Import
              </button>
            </div>
          )}
        </Section>
      )}
    </Screen>
  );
}

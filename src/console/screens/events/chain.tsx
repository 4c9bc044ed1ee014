import { useEffect, useRef, useState } from 'preact/hooks';
import { api } from '../../api/api.ts';
import type { Schemas } from '../../api/contract.ts';
import { type Problem, problemOf } from '../../api/problem.ts';
import { useAnswer } from '../../api/use-answer.ts';
import { counted } from '../../parts/counted.ts';
import { say } from '../../parts/notices.tsx';
import { Progress } from '../../parts/progress.tsx';
import { ProblemNote, Section, Waiting } from '../../parts/screen.tsx';
import { Time } from '../../parts/time.tsx';

type Chain = Schemas['EventChain'];

/** Whether the trail is what was written: how far it was verified and when, and a button that does it again. */
export function ChainStatus() {
  const asked = useAnswer(() => api.get('/api/2/events/chain', {}), []);
  const [run, setRun] = useState<Chain | null>(null);
  const [problem, setProblem] = useState<Problem | null>(null);
  const isHere = useRef(true);
  useEffect(
    () => () => {
      isHere.current = false;
    },
    [],
  );
  const chain = asked.answer?.data;
  const verify = async (first: Chain) => {
    setProblem(null);
    setRun({ ...first, reached: first.reached ?? 0 });
    try {
      let now: Chain;
      do {
        now = (await api.post('/api/2/events/chain/verify', { body: {} })).data;
        if (isHere.current) setRun(now);
      } while (now.reached !== null && isHere.current);
      if (!isHere.current) return;
      await asked.again();
      say(now.first_bad === null ? 'All events are what was written.' : 'The trail was changed.');
    } catch (error) {
      setProblem(problemOf(error));
    }
    setRun(null);
  };
  return (
    <Section
      title="Chain of the trail"
      actions={
        chain && (
          <button type="button" disabled={run !== null} onClick={() => void verify(chain)}>
            {chain.reached === null ? 'Verify' : 'Go on verifying'}
          </button>
        )
      }
    >
      {(problem ?? asked.problem) && <ProblemNote problem={(problem ?? asked.problem) as Problem} />}
      {!chain && !asked.problem && <Waiting />}
      {chain && <Standing chain={chain} />}
      {run && run.events > 0 && <Progress label="Verification" done={run.reached ?? run.events} total={run.events} />}
    </Section>
  );
}

function Standing({ chain }: { readonly chain: Chain }) {
  const { events, verified_events: verified, verified_at: at, first_bad: bad } = chain;
  const since = verified === null ? null : events - verified;
  return (
    <>
      {bad !== null && (
        <div class="alert" role="alert">
          <p>
            Event {bad.toLocaleString('en')} is not what was written: it or one before it was changed, moved, removed or
            inserted. Compare it with a backup.
          </p>
        </div>
      )}
      {at === null ? (
        <p>{counted(events, 'event')}, never verified.</p>
      ) : (
        <p>
          Verified <Time at={at} isExact />
          {verified !== null && `, up to event ${verified.toLocaleString('en')}`}.
          {since !== null && ` ${counted(since, 'event')} since.`}
        </p>
      )}
    </>
  );
}

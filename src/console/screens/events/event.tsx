import type { Schemas } from '../../api/contract.ts';
import { Fact } from '../../parts/detail.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { copy } from '../../parts/notices.tsx';
import { Time } from '../../parts/time.tsx';
import { hrefOf } from '../../routing/address.ts';
import { PartyName } from './party.tsx';

export type Event = Required<Schemas['AuditEvent']>;

export interface WholeEventProps {
  readonly event: Event;
  readonly close: () => void;
}

/** One event whole, and ways to what belongs to it. */
export function WholeEvent({ event, close }: WholeEventProps) {
  const { id, created_at: at, action, outcome, actor, target, source, request_id: request, detail } = event;
  const json = JSON.stringify(event, null, 2);
  const address = hrefOf('events', { created_since: at, created_until: at, event: String(id) });
  return (
    <Dialog title={`Event ${id}`} close={close}>
      <div class="stack">
        <dl class="facts">
          <Fact title="What">
            <code>{action}</code>
          </Fact>
          <Fact title="Outcome">
            <Outcome outcome={outcome} />
          </Fact>
          <Fact title="When">
            <Time at={at} isExact /> <code class="detail">{at}</code>
          </Fact>
          <Fact title="By">
            <PartyName party={actor} />
          </Fact>
          <Fact title="On">
            <PartyName party={target} />
          </Fact>
          <Fact title="From">{source ?? '–'}</Fact>
          <Fact title="Request">
            {request === null ? '–' : <a href={hrefOf('events', { request_id: request })}>{request}</a>}
          </Fact>
        </dl>
        {Object.keys(detail).length > 0 && <Details detail={detail} />}
        <details>
          <summary>As the API answers it</summary>
          <pre class="wrapped">{json}</pre>
        </details>
        <div class="actions">
          <button type="button" onClick={() => void copy(json, 'The event')}>
            Copy as JSON
          </button>
          <button type="button" onClick={() => void copy(new URL(address, location.href).href, 'The link')}>
            Copy a link
          </button>
        </div>
        <p class="quiet">
          Events are never changed. Each is sealed together with the one before it: <code>gatehouse audit verify</code>{' '}
          checks the whole trail.
        </p>
      </div>
    </Dialog>
  );
}

function Details({ detail }: Pick<Event, 'detail'>) {
  return (
    <dl class="facts">
      {Object.entries(detail).map(([name, value]) => (
        <Fact key={name} title={name.replaceAll('_', ' ')}>
          <bdi>{textOf(value)}</bdi>
        </Fact>
      ))}
    </dl>
  );
}

const textOf = (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value));

export function Outcome({ outcome }: Pick<Event, 'outcome'>) {
  return <span class={`status status-${outcome === 'success' ? 1 : 2}`}>{outcome}</span>;
}

/** The detail in one line. */
export function detailWords(detail: Event['detail']): string {
  return Object.entries(detail)
    .map(([name, value]) => `${name}: ${textOf(value)}`)
    .join(', ');
}

import type { ClientRecord } from '../../store/clients.ts';
import { setFields } from '../audit/events.ts';
import type { ClientMetadata } from './metadata.ts';

/** The names of the members whose values differ. */
export function changedFields(client: ClientRecord, metadata: ClientMetadata): string[] {
  const former: Readonly<Record<string, unknown>> = { ...client };
  const isChanged = ([name, value]: [string, unknown]) => JSON.stringify(value) !== JSON.stringify(former[name]);
  return setFields(Object.fromEntries(Object.entries(metadata).filter(isChanged)));
}

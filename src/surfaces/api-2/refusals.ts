import type { components, operations } from '../../../generated/api-2.ts';
import { Failure } from '../../domain/failure.ts';
import { readReference, type Told, tellReference } from '../../domain/why/story.ts';
import type { Handler } from '../../http/operation.ts';
import type { Services } from '../../services.ts';
import { representEvent } from './events.ts';

/** GET /api/2/refusals/{reference} */
export function explainRefusal(services: Pick<Services, 'store' | 'clock'>): Handler<operations['explainRefusal']> {
  return async ({ path, origin: { account } }, respond) => {
    const reference = readReference(path.reference);
    const told = reference === null ? null : await tellReference(services, account, reference);
    if (reference === null || !told) throw new Failure('not_found');
    return respond(200, represent(reference, told));
  };
}

function represent(reference: string, { story, particulars, events }: Told): components['schemas']['Refusal'] {
  const { code, reason, parameter, userId, appId, clientId, address, hook } = particulars;
  return {
    reference,
    created_at: new Date(story.at).toISOString(),
    source: story.source,
    cause: cut(story.cause, longestSentence),
    remedy: cut(story.remedy, longestSentence),
    code,
    reason,
    parameter: parameter === null ? null : cut(parameter, longestName),
    user_id: userId,
    app_id: appId,
    client_id: clientId,
    redirect_uri: address,
    hook_id: hook,
    events: events.map(representEvent),
  };
}

/** Names and redirect URIs are chosen by others. */
const longestSentence = 8192;
const longestName = 255;

function cut(text: string, most: number): string {
  const characters = [...text];
  return characters.length <= most ? text : `${characters.slice(0, most - 1).join('')}…`;
}

/** The calls that an explanation names, as something to be done on the page. */

import type { Schemas } from '../../../api/contract.ts';
import type { About, Action } from './action.ts';
import { changeOfApp, changeOfPolicy, createApp, disableHook } from './other-actions.ts';
import { assignApp, changeOfUser, registerFactor, setPassword, unlock } from './user-actions.ts';

type Call = NonNullable<Schemas['ExplainRemedy']>;

/** What can be done about a step; null for a call that the console does not know. */
export function actionOf({ method, path, body }: Call, about: About): Action | null {
  for (const [pattern, make] of known) {
    const found = pattern.exec(`${method} ${path}`);
    const action = found && make(about, found[1] ?? '', (body ?? {}) as Readonly<Record<string, unknown>>);
    if (action) return action;
  }
  return null;
}

type Make = (about: About, id: string, body: Readonly<Record<string, unknown>>) => Action | null;

const known: readonly (readonly [RegExp, Make])[] = [
  [/^POST \/api\/2\/users\/\d+\/unlock$/, (about) => unlock(about)],
  [/^PUT \/api\/2\/users\/\d+$/, (about, _, body) => changeOfUser(about, body)],
  // Invitations belong to the former API, which takes no tokens of administrators.
  [/^POST \/api\/1\/invites\//, (about) => setPassword(about)],
  [/^POST \/api\/2\/mfa\/users\/\d+\/registrations$/, (about) => registerFactor(about)],
  [/^POST \/api\/2\/apps\/(\d+)\/users$/, (about, id) => assignApp(about, Number(id))],
  [/^PUT \/api\/2\/apps\/(\d+)$/, (about, id, body) => changeOfApp(about, Number(id), body)],
  [/^POST \/api\/2\/apps$/, () => createApp()],
  [/^PUT \/api\/2\/policies\/(\d+)$/, (_, id, body) => changeOfPolicy(Number(id), body)],
  [/^PUT \/api\/2\/hooks\/([\w-]+)$/, (_, id) => disableHook(id)],
];

import { confine } from '../hook-runner/confinement.ts';
import { describeError } from './errors.ts';
import { degraded, type Finding, off, ok } from './finding.ts';

/** Starts a hook process as a server would, and says what it is shut in with. */
export async function examineHooks(): Promise<Finding[]> {
  try {
    const { layers } = await confine();
    return [
      ok('hook runner', 'starts processes for the functions of hooks'),
      ...layers.map(({ name, state, remedy }) =>
        state === 'ok' ? ok(`hooks: ${name}`, 'on') : off(`hooks: ${name}`, 'not to be had here', remedy),
      ),
    ];
  } catch (error) {
    return [degraded('hook runner', describeError(error).message, 'see what the message names; hooks fail until then')];
  }
}

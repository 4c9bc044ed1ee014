/** The generator of load as the bench sees it. */

import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { keepWatch } from './servers.ts';
import type { FromGenerator, Load, Measurement, Target, ToGenerator } from './target.ts';

export interface Generator {
  /** Tells of a target; its chains of tokens live on from one load to the next. */
  add(target: Target): void;
  /** One at a time. */
  measure(load: Load): Promise<Measurement>;
  stop(): void;
}

export function startGenerator(): Generator {
  const child = fork(fileURLToPath(new URL('generator.ts', import.meta.url)), {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  keepWatch(child);
  const gone = new AbortController();
  child.once('exit', () => gone.abort(new Error('the generator of load ended')));
  const tell = (message: ToGenerator) => child.send(message);
  return {
    add: (target) => void tell({ target }),
    measure: async (load) => {
      tell({ load });
      const [message] = (await once(child, 'message', { signal: gone.signal })) as [FromGenerator];
      if ('failure' in message) throw new Error(message.failure);
      return message.measurement;
    },
    stop: () => void child.kill(),
  };
}

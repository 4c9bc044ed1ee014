/**
 * The application twice over the same services, up to the handlers: as it is, and without what makes it quick. Handlers
 * are replaced by one that answers what they would get, so that a request can be sent to both and changes nothing.
 */

import { registerHooks } from 'node:module';
import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { AppOptions, createApp } from '../../src/app.ts';
import type { Services } from '../../src/services.ts';

export type PathName = 'quick' | 'general';

interface Edit {
  readonly path: PathName | 'both';
  /** Occurs once in the file. */
  readonly from: string;
  readonly to: string;
}

const receivedByHandler = `
      const { requestId: _, ...from } = origin;
      const received = { operation: operation.operationId, ...request, origin: from, actor, userAgent };
      res.status(299).json({ ...received, list: Object.keys(request.list) });`;

/** By file of src/http. What a general path would be is written here as a library or a plain reader has it. */
const edits: Readonly<Record<string, readonly Edit[]>> = {
  'surface.ts': [
    {
      path: 'both',
      from: `
      const write = (over: Store) => answerIfMatch(operation.operationId, request, over, run) ?? run(over);
      const answering = answerOnce(operation.operationId, request, store, write) ?? write(store);
      await sendReply(res, operation, await answering, form);`,
      to: receivedByHandler,
    },
  ],
  // A router of Express.
  'in-sequence.ts': [
    {
      path: 'general',
      from: '  if (!refuse) return (req, res, next) => run(steps, 0, req, res, next, next);',
      to: `  const router = Router();
  router.use(...steps);
  if (refuse) router.use((error: unknown, req: Request, res: Response, next: NextFunction) => refuse(error, req, res, next));
  return router;`,
    },
    {
      path: 'general',
      from: 'import type { ErrorRequestHandler,',
      to: "import { Router } from 'express'; import type { ErrorRequestHandler,",
    },
  ],
  // The validator looks each operation up, for every request.
  'validator-shortcuts.ts': [
    {
      path: 'general',
      from: 'const matched = operation && known.get(operation);',
      to: 'const matched = null as never;',
    },
  ],
  // Every body is awaited.
  'receive-bytes.ts': [
    { path: 'general', from: 'const arrived = readArrived(req, limit);', to: 'const arrived = null as Buffer | null;' },
  ],
};

/** Those above, and what imports them. */
const made = new Set([...Object.keys(edits), 'app.ts', 'body.ts', 'codecs.ts', 'validator.ts']);
const mark = '?path=';

function pathOf(url: string | undefined): PathName | null {
  const [, name] = url?.split(mark) ?? [];
  return (name as PathName | undefined) ?? null;
}

function edited(text: string, file: string, path: PathName): string {
  return (edits[file] ?? [])
    .filter((edit) => edit.path === 'both' || edit.path === path)
    .reduce((now, { from, to }) => {
      if (now.split(from).length !== 2) throw new Error(`${file} has not exactly one: ${from}`);
      return now.replace(from, () => to);
    }, text);
}

/** The function that makes the application, on one of the paths. */
export async function createAppOn(
  path: PathName,
): Promise<(services: Services, options?: AppOptions) => ReturnType<typeof createApp>> {
  const hooks = registerHooks({
    resolve(specifier, context, nextResolve) {
      const found = nextResolve(specifier, context);
      const parent = pathOf(context.parentURL);
      const isMade = parent !== null && found.url.includes('/src/') && made.has(basename(found.url));
      return isMade ? { ...found, url: `${found.url}${mark}${parent}` } : found;
    },
    load(url, context, nextLoad) {
      const name = pathOf(url);
      const loaded = nextLoad(url, context);
      if (name === null) return loaded;
      return { ...loaded, source: edited(String(loaded.source), basename(fileURLToPath(url)), name) };
    },
  });
  try {
    const app = (await import(`../../src/app.ts${mark}${path}`)) as { readonly createApp: typeof createApp };
    return app.createApp;
  } finally {
    hooks.deregister();
  }
}

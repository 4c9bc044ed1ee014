import { timingSafeEqual } from 'node:crypto';
import express, { type Express, type Request } from 'express';
import { Failure } from '../domain/failure.ts';
import { digestOf } from '../domain/secrets.ts';
import type { Services } from '../services.ts';
import type { Metrics } from './metrics.ts';

/** What is looked at to say whether the process should get requests. */
export interface Readiness {
  /** Set when the process is told to stop. */
  draining: boolean;
}

export interface HealthOptions {
  readonly store: Services['store'];
  readonly metrics: Metrics;
  readonly readiness: Readiness;
  /** Bearer for `/metrics` and the details of `/readyz`; null: only a loopback peer that no proxy stands before. */
  readonly metricsToken: string | null;
}

/** `/healthz`, `/readyz` and `/metrics`, on any Host. */
export function createHealth(options: HealthOptions): Express {
  const app = express();
  app.disable('x-powered-by').disable('etag');
  app.get('/healthz', (_req, res) => {
    res.json({ status: 'ok' });
  });
  app.get('/readyz', async (req, res) => {
    const checks = await check(options);
    const ready = Object.values(checks).every((result) => result === 'ok');
    if (!ready) res.setHeader('retry-after', '1');
    res.status(ready ? 200 : 503);
    const status = ready ? 'ready' : 'not ready';
    res.json(mayRead(req, options.metricsToken) ? { status, checks } : { status });
  });
  app.get('/metrics', async (req, res) => {
    if (!mayRead(req, options.metricsToken)) {
      res.status(401).setHeader('www-authenticate', 'Bearer').json({ status: 'unauthorized' });
      return;
    }
    res.setHeader('content-type', options.metrics.contentType);
    res.end(await options.metrics.text());
  });
  return app;
}

async function check({ store, readiness }: HealthOptions): Promise<Record<string, string>> {
  const checks: Record<string, string> = {
    serving: readiness.draining ? 'stopping' : 'ok',
    store: 'ok',
    migrations: 'ok',
  };
  try {
    await store.ping();
    const { pending } = await store.status();
    if (pending.length > 0) checks['migrations'] = `${pending.length} pending`;
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    checks['store'] = error.detail.reason?.startsWith('the store is damaged') ? error.detail.reason : 'unreachable';
    checks['migrations'] = 'unknown';
  }
  return checks;
}

function mayRead(req: Request, token: string | null): boolean {
  if (token !== null) {
    const sent = /^bearer\s+(\S+)$/i.exec(req.headers.authorization ?? '')?.[1] ?? '';
    return timingSafeEqual(Buffer.from(digestOf(sent)), Buffer.from(digestOf(token)));
  }
  const forwarded =
    ['forwarded', 'via'].some((name) => name in req.headers) ||
    Object.keys(req.headers).some((name) => name.startsWith('x-forwarded-'));
  return !forwarded && /^(::1|(::ffff:)?127\.\d+\.\d+\.\d+)$/.test(req.socket.remoteAddress ?? '');
}

import { timingSafeEqual } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { type Request, Router } from 'express';
import { Failure } from '../domain/failure.ts';
import { digestOf } from '../domain/secrets.ts';
import type { Metrics } from '../metrics/registry.ts';
import type { Judgement } from '../runtime/floor.ts';
import type { Services } from '../services.ts';
import { createHookHealth, type HookHealthOptions } from './hook-health.ts';
import { lacksHost } from './host.ts';
import { requestStateOf } from './request-state.ts';

/** What decides whether the process should get requests. */
export interface Readiness {
  /** Set when the process is told to stop. */
  draining: boolean;
}

/** How many processes one supervisor should have, and how many of them serve. */
export interface Processes {
  readonly wanted: number;
  readonly serving: number;
}

interface HealthOptions extends HookHealthOptions {
  readonly store: Services['store'];
  readonly packageBuilds: Pick<Services['packageBuilds'], 'walls'>;
  readonly geoip: Services['geoip'];
  readonly metrics: Pick<Metrics, 'text' | 'contentType'>;
  /** The Node version that runs this. */
  readonly node: Judgement;
  readonly readiness: Readiness;
  /** Those of the service, where there are several. */
  readonly processes?: (() => Processes) | undefined;
  /** Bearer token for `/metrics` and the details of `/readyz`; null: only for a loopback peer without a proxy. */
  readonly metricsToken: string | null;
}

/** Readiness probes time out soon, so a store that is silent for this long counts as unreachable. */
const patienceMilliseconds = 900;

/** `/healthz`, `/readyz` and `/metrics`, on any Host; HTTP/1.0 needs none (RFC 9112 §3.2). */
export function createHealth(options: HealthOptions): Router {
  const checkStore = shareChecks(options.store);
  const describeHooks = createHookHealth(options, patienceMilliseconds);
  const router = Router();
  for (const route of ['/healthz', '/readyz', '/metrics']) {
    router.get(route, (_req, res, next) => {
      requestStateOf(res).route = route;
      next();
    });
  }
  router.use(['/healthz', '/readyz', '/metrics'], (req, res, next) => {
    if (lacksHost(req)) res.status(400).json({ status: 'bad request' });
    else next();
  });
  router.get('/healthz', (_req, res) => {
    res.json({ status: 'ok' });
  });
  router.get('/readyz', async (req, res) => {
    const { draining } = options.readiness;
    const isOpen = mayRead(req, options.metricsToken);
    // Concurrently, so that the times of a silent store do not add up.
    const [store, hooks, geoip] = await Promise.all([
      checkStore(),
      isOpen ? describeHooks() : null,
      isOpen ? describeGeoIp(options.geoip) : null,
    ]);
    const checks = { serving: draining ? 'stopping' : 'ok', ...store };
    const ready = Object.values(checks).every((result) => result === 'ok');
    if (!ready) res.setHeader('retry-after', '1');
    res.status(ready ? 200 : 503);
    const status = ready ? 'ready' : draining ? 'stopping' : 'not ready';
    const packages = describePackages(options.packageBuilds);
    const details = { checks, node: describeNode(options.node), hooks, packages, geoip };
    const processes = options.processes?.();
    res.json(isOpen ? { status, ...details, ...(processes && { processes }) } : { status });
  });
  router.get('/metrics', async (req, res) => {
    if (!mayRead(req, options.metricsToken)) {
      res.status(401).setHeader('www-authenticate', 'Bearer').json({ status: 'unauthorized' });
      return;
    }
    res.setHeader('content-type', options.metrics.contentType);
    res.end(await options.metrics.text());
  });
  return router;
}

/** A Node version that is not known to be sound still serves: stopping is the operator's decision. */
function describeNode({ version, state, reason, remedy }: Judgement) {
  return { version, state, reason, remedy };
}

/** Without the file no address has a country, and the rules of hooks about countries see an unknown one. */
async function describeGeoIp(geoip: Services['geoip']) {
  const silent = { reason: 'the file could not be read in time' };
  const { reason } = await Promise.race([geoip.examine(), delay(patienceMilliseconds, silent, { ref: false })]);
  return { state: reason === null ? 'ok' : 'degraded', reason };
}

/** How builds of packages are confined; `starting` until it is known. */
function describePackages(packageBuilds: HealthOptions['packageBuilds']) {
  const walls = packageBuilds.walls();
  if (walls === null || walls === 'off') {
    return { state: walls ?? 'starting', reason: null, remedy: null, layers: [] };
  }
  const { state, reason, remedy, layers } = walls;
  return {
    state,
    reason,
    remedy,
    layers: layers.map(({ name, state: is, remedy: how }) => ({ name, state: is, remedy: how })),
  };
}

type StoreChecks = Readonly<Record<'store' | 'migrations', string>>;

const unreachable: StoreChecks = { store: 'unreachable', migrations: 'unknown' };

/** Requests during a check share its result: a store that hangs is asked once. */
function shareChecks(store: Services['store']): () => Promise<StoreChecks> {
  let running: Promise<StoreChecks> | null = null;
  return () => {
    running ??= checkStore(store).finally(() => {
      running = null;
    });
    return Promise.race([running, delay(patienceMilliseconds, unreachable, { ref: false })]);
  };
}

async function checkStore(store: Services['store']): Promise<StoreChecks> {
  try {
    await store.ping();
    const { pending } = await store.status();
    return { store: 'ok', migrations: pending.length > 0 ? `${pending.length} pending` : 'ok' };
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    const { name, reason } = error.detail;
    // An outage has no name; a named problem lasts until an operator acts.
    return name !== undefined && reason !== undefined ? { ...unreachable, store: reason } : unreachable;
  }
}

function mayRead(req: Request, token: string | null): boolean {
  if (token !== null) {
    const sent = /^bearer\s+(\S+)$/i.exec(req.headers.authorization ?? '')?.[1] ?? '';
    return timingSafeEqual(Buffer.from(digestOf(sent)), Buffer.from(digestOf(token)));
  }
  const forwarded =
    ['forwarded', 'via', 'x-real-ip', 'cf-connecting-ip', 'true-client-ip'].some((name) => name in req.headers) ||
    Object.keys(req.headers).some((name) => name.startsWith('x-forwarded-'));
  return !forwarded && /^(::1|(::ffff:)?127\.\d+\.\d+\.\d+)$/.test(req.socket.remoteAddress ?? '');
}

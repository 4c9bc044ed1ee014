/** The HTTP application: health, docs and one router per contract. What tests start. */

import express, { type ErrorRequestHandler, type Express, type RequestHandler } from 'express';
import { deprecatedOperationsOf } from './domain/callers/deprecated-report.ts';
import { stackOf } from './domain/describe.ts';
import { asOneLook } from './domain/one-look.ts';
import { createConsole } from './http/console.ts';
import { createDocs } from './http/docs.ts';
import { createHealth, type Processes, type Readiness } from './http/health.ts';
import { inSequence } from './http/in-sequence.ts';
import { addressIn } from './http/peer-address.ts';
import { beginRequest } from './http/request-log.ts';
import { requestStateOf } from './http/request-state.ts';
import { createSurface, type Surface, type SurfaceDefinition } from './http/surface.ts';
import { traceRequest } from './http/traced-request.ts';
import { answerUnknownPath } from './http/unknown-path.ts';
import { createMetrics, type Metrics } from './metrics/registry.ts';
import { requestReport } from './metrics/reports.ts';
import { notFoundPage } from './pages/failure-page.ts';
import { onceLoaded } from './pages/once.ts';
import { consoleFolder } from './programs/console-files.ts';
import { judgeNode } from './runtime/floor.ts';
import type { Services } from './services.ts';
import { api1 } from './surfaces/api-1/index.ts';
import { api2 } from './surfaces/api-2/index.ts';
import { apiV1 } from './surfaces/api-v1/index.ts';
import { apiV3 } from './surfaces/api-v3/index.ts';
import { auth2 } from './surfaces/auth-2/index.ts';
import { oauth2 } from './surfaces/oauth2/index.ts';
import { oidc2 } from './surfaces/oidc-2/index.ts';
import { pages } from './surfaces/pages/index.ts';
import { xml } from './surfaces/xml/index.ts';
import type { Tracing } from './tracing/tracing.ts';

export interface AppOptions {
  /** Addresses of proxies whose `X-Forwarded-For` counts. */
  readonly trustProxy?: readonly string[];
  /** Bearer for `/metrics` and the details of `/readyz`. */
  readonly metricsToken?: string | null;
  /** What `/metrics` shows; its own unless given. */
  readonly metrics?: Metrics;
  /** Where requests are traced. */
  readonly tracing?: Tracing | null;
  readonly readiness?: Readiness;
  /** Those of the service, where there are several. */
  readonly processes?: () => Processes;
  /** Where `/` leads; default: `account`. */
  readonly startPage?: 'account' | 'docs';
  /** Makes all surfaces but the deprecated ones ready now, so that nobody who calls one first waits for it. */
  readonly isServing?: boolean;
}

/** Builds the application; nothing listens yet. Throws when a contract leaves something unsaid. */
export function createApp(services: Services, options: AppOptions = {}): Express {
  const metrics = options.metrics ?? createMetrics();
  const app = express();
  app
    .disable('x-powered-by')
    .disable('etag')
    .enable('case sensitive routing')
    // Flat, and repetitions stay visible as arrays.
    .set('query parser', 'simple');
  trustProxies(app, options.trustProxy ?? []);
  const deprecated = [apiV1, xml(services), apiV3] as const;
  // What is called most stands first, but the pages own an address below one that oauth2 owns.
  const surfaces: Surface[] = [
    surface(oidc2),
    surface(pages),
    surface(oauth2),
    surface(auth2),
    surface(api2(deprecatedOperationsOf(contractsOf(deprecated)))),
    surface(api1),
    surface(deprecated[0]),
    surface(deprecated[1]),
    surface(deprecated[2]),
  ];
  if (options.isServing) for (const { isDeprecated, serve } of surfaces) if (!isDeprecated) serve();
  app.use(
    inSequence([
      // On SQLite a reading costs less than remembering it.
      ...(services.store.kind === 'postgres' ? [oneLook] : []),
      beginRequest(services, requestReport(metrics)),
      ...(options.tracing ? [traceRequest(options.tracing, services.addresses.publicScheme)] : []),
      (req, res, next) => {
        const owner = surfaces.find(({ owns }) => owns(req.path));
        if (owner) owner.serve()(req, res, next);
        else next();
      },
    ]),
  );
  app.use(
    createHealth({
      store: services.store,
      hooks: services.hooks,
      packageBuilds: services.packageBuilds,
      geoip: services.geoip,
      metrics,
      node: judgeNode(process.versions.node),
      readiness: options.readiness ?? { draining: false },
      processes: options.processes,
      metricsToken: options.metricsToken ?? null,
    }),
  );
  // What makes the documentation is 80 modules, a parser of YAML among them, and few processes are asked for it.
  const docs = onceLoaded(async () => (await import('./pages/docs/docs-files.ts')).docsFiles(surfaces));
  app.use(createConsole(services, consoleFolder));
  app.use(createDocs(services, docs, options.startPage ?? 'account'));
  app.use(answerUnknownPath(services, notFoundPage));
  app.use(((error: unknown, _req, res, _next) => {
    services.log.error('internal error', {
      requestId: requestStateOf(res).requestId,
      stack: stackOf(error),
    });
    if (res.headersSent) res.destroy();
    else res.status(500).json({ error: 'server_error' });
  }) satisfies ErrorRequestHandler);
  return app;

  function surface<Operations>(definition: SurfaceDefinition<Operations>): Surface {
    return createSurface(services, definition);
  }
}

const oneLook: RequestHandler = (_req, _res, next) => asOneLook(next);

function contractsOf(surfaces: readonly Pick<SurfaceDefinition<unknown>, 'name' | 'contract'>[]) {
  return Object.fromEntries(surfaces.map(({ name, contract }) => [name, contract]));
}

/** A proxy may write the address of the one before it with its port: it is known without, at every hop. */
function trustProxies(app: Express, trustProxy: readonly string[]): void {
  app.set('trust proxy', trustProxy);
  const isTrusted = app.get('trust proxy fn') as (address: string, hop: number) => boolean;
  app.set('trust proxy', (written: string, hop: number) => {
    const address = addressIn(written);
    return address !== null && isTrusted(address, hop);
  });
}

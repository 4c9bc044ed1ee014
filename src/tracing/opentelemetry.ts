/** Traces by the packages of OpenTelemetry, which are loaded when an operator names where traces go. */

import { AsyncLocalStorage } from 'node:async_hooks';
import { randomUUID } from 'node:crypto';
import type { Context, Span } from '@opentelemetry/api';
import packageJson from '../../package.json' with { type: 'json' };
import { Failure } from '../domain/failure.ts';
import type { Log } from '../services.ts';
import { installTracing } from './packages.ts';
import type { OpenSpan, Place, Tracing } from './tracing.ts';

/** How often the log says that traces cannot be sent. */
const quietMilliseconds = 60_000;
/** A stop does not wait longer for a collector that is away. */
const closeMilliseconds = 2_000;

export interface TracingOptions {
  /** Where traces go, without the path; the packages add it. */
  readonly endpoint: string;
  /** Which share of the traces that begin here is recorded; of others their beginner decides. */
  readonly share: number;
  /** How long spans wait for others before they are sent. */
  readonly delayMilliseconds?: number;
}

/**
 * Sends traces by OTLP over HTTP. Null, and a line in the log, when a package is missing or another one than was tested:
 * the service is needed more than its traces.
 */
export async function openTracing(options: TracingOptions, log: Log): Promise<Tracing | null> {
  try {
    return await load(options, log);
  } catch (error) {
    const { code } = error as { readonly code?: unknown };
    const fault = code === 'ERR_MODULE_NOT_FOUND' ? 'packages are missing' : 'its packages cannot be used';
    log.warn('no traces', { reason: `OTEL_EXPORTER_OTLP_ENDPOINT is set, but ${fault}: ${installTracing}` });
    return null;
  }
}

async function load(options: TracingOptions, log: Log): Promise<Tracing> {
  const api = await import('@opentelemetry/api');
  const { provider, propagator } = await openProvider(options);
  const { defaultTextMapGetter, defaultTextMapSetter, ROOT_CONTEXT, SpanKind, SpanStatusCode, trace } = api;
  const current = new AsyncLocalStorage<Context>();
  const here = () => current.getStore() ?? ROOT_CONTEXT;
  let toldAt = Number.NEGATIVE_INFINITY;
  const tell = (said: string) => {
    if (performance.now() - toldAt < quietMilliseconds) return;
    toldAt = performance.now();
    log.warn('traces not sent', { reason: whyNotSent(said) });
  };
  const silent = () => {};
  // What the packages say may repeat headers of the operator, which hold a token.
  api.diag.setLogger({ error: tell, warn: silent, info: silent, debug: silent, verbose: silent });
  const tracer = provider.getTracer('gatehouse', packageJson.version);

  const noting = (span: Span): Omit<OpenSpan, 'place'> => ({
    set: (attributes) => void span.setAttributes(attributes),
    fail: (type) => void span.setAttribute('error.type', type).setStatus({ code: SpanStatusCode.ERROR }),
  });
  const contextOf = (place: Place): Context => place as unknown as Context;
  const placeOf = (at: Context): Place => at as unknown as Place;

  return {
    async span({ name, kind, attributes = {}, parent, links = [] }, work) {
      const from = parent ? contextOf(parent) : here();
      const linked = links.flatMap((link) => trace.getSpanContext(contextOf(link)) ?? []);
      const how = {
        kind: kind === 'client' ? SpanKind.CLIENT : SpanKind.INTERNAL,
        attributes,
        links: linked.map((context) => ({ context })),
      };
      const span = tracer.startSpan(name, how, from);
      const at = trace.setSpan(from, span);
      const noted = noting(span);
      try {
        return await current.run(at, () => work({ ...noted, place: placeOf(at) }));
      } catch (error) {
        noted.fail(errorTypeOf(error));
        throw error;
      } finally {
        span.end();
      }
    },
    serve({ name, attributes, from }, next) {
      const parent = from ? propagator.extract(ROOT_CONTEXT, from, defaultTextMapGetter) : ROOT_CONTEXT;
      const span = tracer.startSpan(name, { kind: SpanKind.SERVER, attributes }, parent);
      const open = { ...noting(span), rename: (other: string) => void span.updateName(other), end: () => span.end() };
      current.run(trace.setSpan(parent, span), () => next(open));
    },
    detached: (work) => current.run(ROOT_CONTEXT, work),
    headers() {
      const carrier: Record<string, string> = {};
      propagator.inject(here(), carrier, defaultTextMapSetter);
      return Object.entries(carrier);
    },
    async close() {
      const waited = new Promise<void>((resolve) => setTimeout(resolve, closeMilliseconds).unref());
      const stopped = provider.shutdown().catch((error: unknown) => tell(JSON.stringify(error)));
      await Promise.race([stopped, waited]);
    },
  };
}

async function openProvider({ endpoint, share, delayMilliseconds = 5_000 }: TracingOptions) {
  const { W3CTraceContextPropagator } = await import('@opentelemetry/core');
  const { OTLPTraceExporter } = await import('@opentelemetry/exporter-trace-otlp-http');
  const { defaultResource, detectResources, envDetector, resourceFromAttributes } = await import(
    '@opentelemetry/resources'
  );
  const { BatchSpanProcessor, ParentBasedSampler, TraceIdRatioBasedSampler, TracerProvider } = await import(
    '@opentelemetry/sdk-trace'
  );
  const own = resourceFromAttributes({
    'service.name': 'gatehouse',
    'service.version': packageJson.version,
    'service.instance.id': randomUUID(),
  });
  const exporter = new OTLPTraceExporter({ url: `${endpoint}/v1/traces` });
  const provider = new TracerProvider({
    // What the operator says of the service (OTEL_SERVICE_NAME, OTEL_RESOURCE_ATTRIBUTES) comes last.
    resource: defaultResource()
      .merge(own)
      .merge(detectResources({ detectors: [envDetector] })),
    sampler: new ParentBasedSampler({ root: new TraceIdRatioBasedSampler(share) }),
    spanProcessors: [new BatchSpanProcessor({ exporter, scheduledDelayMillis: delayMilliseconds })],
  });
  return { provider, propagator: new W3CTraceContextPropagator() };
}

/** `said`: an error as the packages write it, in JSON. Of that only a code is repeated: the rest may hold a token. */
function whyNotSent(said: string): string {
  const [, code] = /"code":"([A-Z][A-Z_\d]*)"/.exec(said) ?? [];
  if (code !== undefined) return `the collector cannot be reached (${code})`;
  return said.includes('"message":"Request timed out"')
    ? 'the collector does not answer'
    : 'the collector does not accept them';
}

/** A code of the program, never a message: it may repeat what was sent. */
function errorTypeOf(error: unknown): string {
  if (error instanceof Failure) return error.code;
  return error instanceof Error ? error.name : '_OTHER';
}

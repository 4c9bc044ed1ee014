/** A collector of traces for tests: it takes what is sent to it, by OTLP over HTTP as JSON. */

import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

interface Value {
  readonly stringValue?: string;
  readonly intValue?: number | string;
  readonly doubleValue?: number;
}

type Attributes = readonly { readonly key: string; readonly value: Value }[];

interface SentSpan {
  readonly name: string;
  readonly kind: number;
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly attributes: Attributes;
  readonly links?: readonly { readonly spanId: string }[];
  readonly status: { readonly code?: number };
}

export interface CollectedSpan {
  readonly name: string;
  readonly kind: 'internal' | 'server' | 'client';
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId: string | null;
  readonly attributes: Readonly<Record<string, string | number>>;
  /** Span ids. */
  readonly links: readonly string[];
  readonly isFailed: boolean;
  readonly resource: Readonly<Record<string, string | number>>;
}

const kinds: Readonly<Record<number, CollectedSpan['kind']>> = { 1: 'internal', 2: 'server', 3: 'client' };

function attributesOf(attributes: Attributes): Readonly<Record<string, string | number>> {
  return Object.fromEntries(
    attributes.map(({ key, value }) => [key, value.stringValue ?? Number(value.intValue ?? value.doubleValue)]),
  );
}

export interface Collector {
  readonly url: string;
  readonly spans: readonly CollectedSpan[];
  /** Everything that was sent, as text. */
  readonly sent: string;
  /** Answers 400 from now on. */
  refuses: boolean;
  close(): Promise<void>;
}

export async function startCollector(): Promise<Collector> {
  const spans: CollectedSpan[] = [];
  let sent = '';
  const server = createServer(async (req, res) => {
    const body = await text(req);
    if (collector.refuses || req.url !== '/v1/traces') return void res.writeHead(400).end();
    sent += body;
    for (const { resource, scopeSpans } of JSON.parse(body).resourceSpans) {
      for (const span of scopeSpans.flatMap((scope: { spans: SentSpan[] }) => scope.spans) as SentSpan[]) {
        const { name, kind, traceId, spanId, parentSpanId, attributes, links = [], status } = span;
        spans.push({
          name,
          kind: kinds[kind] ?? 'internal',
          traceId,
          spanId,
          parentSpanId: parentSpanId || null,
          attributes: attributesOf(attributes),
          links: links.map((link) => link.spanId),
          isFailed: status.code === 2,
          resource: attributesOf(resource.attributes),
        });
      }
    }
    res.writeHead(200, { 'content-type': 'application/json' }).end('{}');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const collector: Collector = {
    url: `http://127.0.0.1:${port}`,
    spans,
    get sent() {
      return sent;
    },
    refuses: false,
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
  return collector;
}

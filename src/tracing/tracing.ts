/**
 * The interface to traces (OpenTelemetry). Whoever is traced is wrapped where the program is put together, so that a
 * service without traces has nothing of it on its way.
 */

export type Attributes = Readonly<Record<string, string | number>>;

/** Where a span is in a trace: an opaque value of the packages. */
export type Place = { readonly [place]: never };
declare const place: unique symbol;

export interface SpanStart {
  /** Without values of a request: names must be few. */
  readonly name: string;
  /** `client`: it waits for another system. */
  readonly kind: 'internal' | 'client';
  readonly attributes?: Attributes;
  /** Default: the span under way. */
  readonly parent?: Place | undefined;
  /** Others that it works for as well. */
  readonly links?: readonly Place[];
}

/** A span under way. */
export interface OpenSpan {
  readonly place: Place;
  set(attributes: Attributes): void;
  /** Marks it as failed; `type` is a code of the program. */
  fail(type: string): void;
}

/** What came with a request, as sent. */
export interface TraceContext {
  readonly traceparent: string | undefined;
  readonly tracestate: string | undefined;
}

/** The span of a request that is served. */
export interface ServerSpan extends Omit<OpenSpan, 'place'> {
  rename(name: string): void;
  end(): void;
}

export interface Tracing {
  /** Ends the span when `work` does; fails it when it rejects. */
  span<Result>(start: SpanStart, work: (span: OpenSpan) => Promise<Result>): Promise<Result>;
  /** Begins a trace, or continues that of `from`; what `next` begins belongs to it. */
  serve(
    start: { readonly name: string; readonly attributes: Attributes; readonly from: TraceContext | null },
    next: (span: ServerSpan) => void,
  ): void;
  /** Runs `work` outside the span under way: for work that it only triggers. */
  detached<Result>(work: () => Result): Result;
  /** The span under way, for the headers of a request to another system (W3C Trace Context); empty when there is none. */
  headers(): readonly (readonly [name: string, value: string])[];
  /** Sends what is left. */
  close(): Promise<void>;
}

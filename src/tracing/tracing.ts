/** What a request waited for, as spans of a trace: the seam, which knows no library. Without tracing there is none of it, not even a check. */

export type SpanAttributes = Readonly<Record<string, string | number | boolean>>;

/**
 * Does `work` in a span of that name beneath the request's, and answers what it answers. Outside of a request, of one that was not sampled
 * or that has ended it does `work` and nothing else. Attributes hold no secret, no body and nothing that a caller wrote.
 */
export type InSpan = <T>(name: string, attributes: SpanAttributes, work: () => Promise<T>) => Promise<T>;

/** The span of a request. */
export interface RequestSpan {
  readonly traceId: string;
  /** Has what `next` begins, and what follows from it, belong to this request. */
  enter(next: () => void): void;
  /** Named after its route once it has ended. `failed`: the answer is a fault or an outage of ours (5xx), or nobody was there to take it. */
  end(name: string, attributes: SpanAttributes, failed: string | null): void;
}

export interface Tracing {
  readonly inSpan: InSpan;
  /** The headers' `traceparent` and `tracestate` (W3C Trace Context) name the parent. */
  beginRequest(headers: Readonly<Record<string, string | string[] | undefined>>): RequestSpan;
  /** Sends what waits, within a bound. */
  close(): Promise<void>;
}

/** OTEL_TRACES_SAMPLER's values that are served (OpenTelemetry's "SDK Environment Variables"). */
export interface TracesSampler {
  readonly kind:
    | 'always_on'
    | 'always_off'
    | 'traceidratio'
    | 'parentbased_always_on'
    | 'parentbased_always_off'
    | 'parentbased_traceidratio';
  /** 0 to 1, for the ratio's two. */
  readonly ratio: number;
}

/** Spans through OpenTelemetry's SDK, sent by OTLP over HTTP. Loaded where tracing is on, and nowhere else. */
import { AsyncLocalStorage } from 'node:async_hooks';
import { randomUUID } from 'node:crypto';
import {
  type Attributes,
  type Context,
  defaultTextMapGetter,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  SpanStatusCode,
  trace,
} from '@opentelemetry/api';
import { ExportResultCode, W3CTraceContextPropagator } from '@opentelemetry/core';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { resourceFromAttributes } from '@opentelemetry/resources';
import { BatchSpanProcessor, type SpanExporter, TracerProvider } from '@opentelemetry/sdk-trace';
import { DomainError } from '../core/errors.ts';
import { createOutage, type Outage, type OutageLog } from '../outages/outage.ts';
import { samplerOf } from './sampler.ts';
import type { SpanAttributes, TracesSampler, Tracing } from './tracing.ts';

/** Of finished spans that wait for the collector; further ones are dropped. About 2 KB each. */
const MAX_WAITING = 4_096;
const SENT_EVERY_MS = 2_000;
/** With the library's own retries. */
const SENT_WITHIN_MS = 10_000;
const FLUSHED_WITHIN_MS = 1_000;

export interface OpenTelemetryOptions {
  /** Of the collector, without `/v1/traces`. */
  endpoint: string;
  serviceName: string;
  version: string;
  sampler: TracesSampler;
  log: OutageLog;
  clock: () => number;
  /** Between two batches. */
  sentEveryMs?: number;
}

interface Entered {
  readonly span: Span;
  readonly context: Context;
}

/** Throws what the library says of its own variables (OTEL_EXPORTER_OTLP_HEADERS and its like). */
export function createOpenTelemetry(options: OpenTelemetryOptions): Tracing {
  const { endpoint, serviceName, version, sampler, log, clock, sentEveryMs = SENT_EVERY_MS } = options;
  const away = createOutage({
    ...{ part: 'tracing', host: new URL(endpoint).host, log, clock },
    began: 'the collector of traces does not take spans: they are dropped until it does',
    ended: 'the collector of traces takes spans again',
  });
  const url = `${endpoint.replace(/\/+$/, '')}/v1/traces`;
  const spans = new BatchSpanProcessor({
    exporter: telling(new OTLPTraceExporter({ url }), away),
    maxQueueSize: MAX_WAITING,
    scheduledDelayMillis: sentEveryMs,
    exportTimeoutMillis: SENT_WITHIN_MS,
  });
  const provider = new TracerProvider({
    resource: resourceFromAttributes({
      'service.name': serviceName,
      'service.version': version,
      'service.instance.id': randomUUID(),
    }),
    sampler: samplerOf(sampler),
    spanProcessors: [spans],
  });
  const tracer = provider.getTracer('ashlar', version);
  const propagator = new W3CTraceContextPropagator();
  const entered = new AsyncLocalStorage<Entered>();

  return {
    async inSpan(name, attributes, work) {
      const parent = entered.getStore();
      if (parent === undefined || !parent.span.isRecording()) return work();
      const span = tracer.startSpan(name, { kind: SpanKind.CLIENT, attributes: { ...attributes } }, parent.context);
      try {
        return await work();
      } catch (error) {
        fail(span, wordOf(error));
        throw error;
      } finally {
        span.end();
      }
    },
    beginRequest(headers) {
      const from = propagator.extract(ROOT_CONTEXT, headers, defaultTextMapGetter);
      const span = tracer.startSpan('request', { kind: SpanKind.SERVER }, from);
      const context = trace.setSpan(ROOT_CONTEXT, span);
      return {
        traceId: span.spanContext().traceId,
        enter: (next) => entered.run({ span, context }, next),
        end(name, attributes: SpanAttributes, failed) {
          span.updateName(name);
          span.setAttributes(attributes as Attributes);
          if (failed !== null) fail(span, failed);
          span.end();
        },
      };
    },
    async close() {
      let timer: NodeJS.Timeout | undefined;
      const late = new Promise<void>((resolve) => {
        timer = setTimeout(resolve, FLUSHED_WITHIN_MS);
      });
      await Promise.race([provider.shutdown().catch(() => {}), late]);
      clearTimeout(timer);
    },
  };
}

function fail(span: Span, word: string): void {
  span.setAttribute('error.type', word);
  span.setStatus({ code: SpanStatusCode.ERROR });
}

/** A code or the error's kind; never its message, which may quote what a caller wrote. */
function wordOf(error: unknown): string {
  if (error instanceof DomainError) return error.code;
  const { code, name } = (error ?? {}) as { code?: unknown; name?: unknown };
  return typeof code === 'string' ? code : String(name ?? 'unknown');
}

/** One line when the collector stops taking spans and one when it takes them again, instead of one for each batch. */
function telling(exporter: SpanExporter, away: Outage): SpanExporter {
  return {
    export(batch, done) {
      exporter.export(batch, (result) => {
        if (result.code === ExportResultCode.SUCCESS) away.ended();
        else away.began(result.error);
        done(result);
      });
    },
    shutdown: () => exporter.shutdown(),
    forceFlush: async () => exporter.forceFlush?.(),
  };
}

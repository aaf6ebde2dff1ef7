import type { Tracing } from '../tracing/tracing.ts';
import type { AppContext } from './app-context.ts';
import { packageFacts } from './package-facts.ts';

/** null, and nothing loaded, where OTEL_EXPORTER_OTLP_ENDPOINT is not set. */
export async function openTracing({
  config,
  log,
  clock,
  disposables,
}: Omit<AppContext, 'tracing' | 'background' | 'metrics'>): Promise<Tracing | null> {
  if (config.tracing === null) return null;
  const { createOpenTelemetry } = await import('../tracing/opentelemetry.ts');
  const tracing = createOpenTelemetry({ ...config.tracing, version: packageFacts().version, log, clock });
  disposables.defer(() => tracing.close());
  return tracing;
}

/** Traces. */
import { z } from 'zod';
import type { TracesSampler } from '../tracing/tracing.ts';
import { oneOf, url } from './value-kinds.ts';

/** OTEL_TRACES_SAMPLER's values (OpenTelemetry's SDK environment variables) that are served. */
const SAMPLERS = [
  'always_on',
  'always_off',
  'traceidratio',
  'parentbased_always_on',
  'parentbased_always_off',
  'parentbased_traceidratio',
] as const satisfies readonly TracesSampler['kind'][];

export const TRACING_VARIABLES = {
  OTEL_EXPORTER_OTLP_ENDPOINT: url(['http', 'https'], 'http://127.0.0.1:4318').optional(),
  OTEL_SERVICE_NAME: z.string().default('ashlar'),
  OTEL_TRACES_SAMPLER: oneOf(SAMPLERS).default('parentbased_always_on'),
  OTEL_TRACES_SAMPLER_ARG: z
    .string()
    .regex(/^(0|1|[01]?\.\d+)$/, 'must be a share of the traces from 0 to 1 such as 0.1')
    .transform(Number)
    .refine((share) => share <= 1, 'must be a share of the traces from 0 to 1 such as 0.1')
    .default(1),
};
type Variables = z.output<z.ZodObject<typeof TRACING_VARIABLES>>;

/** null: they are off. */
export function tracing(variables: Variables) {
  const { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint, OTEL_SERVICE_NAME: serviceName } = variables;
  if (endpoint === undefined) return null;
  const sampler = { kind: variables.OTEL_TRACES_SAMPLER, ratio: variables.OTEL_TRACES_SAMPLER_ARG };
  return { endpoint, serviceName, sampler };
}

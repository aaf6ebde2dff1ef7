import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  ParentBasedSampler,
  type Sampler,
  TraceIdRatioBasedSampler,
} from '@opentelemetry/sdk-trace';
import type { TracesSampler } from './tracing.ts';

export function samplerOf({ kind, ratio }: TracesSampler): Sampler {
  if (kind.startsWith('parentbased_')) return new ParentBasedSampler({ root: root(kind.slice(12), ratio) });
  return root(kind, ratio);
}

function root(kind: string, ratio: number): Sampler {
  if (kind === 'traceidratio') return new TraceIdRatioBasedSampler(ratio);
  return kind === 'always_on' ? new AlwaysOnSampler() : new AlwaysOffSampler();
}

/** What answers of models are made of: the backends, and the one service that asks them. */
import type { Backend } from '../core/inference/backend.ts';
import type { AllJobs } from '../engines/computing/all-jobs.ts';
import type { Computing } from '../engines/computing/computing.ts';
import { createGuard } from '../services/inference/guard.ts';
import type { Guide } from '../services/inference/guide/guide.ts';
import { createGuideBackend } from '../services/inference/guide/guide-backend.ts';
import { createInference, type Inference } from '../services/inference/index.ts';
import type { AppContext } from './app-context.ts';

interface Given extends Pick<Parameters<typeof createInference>[0], 'ledger' | 'activity'> {
  /** In the place of the configured ones. */
  readonly given: readonly Backend[] | undefined;
  /** It is always there. */
  readonly guide: Guide;
  readonly computing: Computing<AllJobs>;
}

export function openInference({ config, clock, randomBytes, metrics }: AppContext, given: Given): Inference {
  const { given: others = [], guide, ...parts } = given;
  const backends = [...others, createGuideBackend(guide, clock())];
  const guard = createGuard({ policy: config.aiSecrets, computing: parts.computing });
  metrics.add(guard.series);
  return createInference({ ...parts, backends, guard, lastsMs: config.aiStreamMaxMs, clock, randomBytes });
}

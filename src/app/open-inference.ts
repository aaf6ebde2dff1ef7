/** What answers of models are made of: the backends, and the one service that asks them. */

import type { Backend } from '../core/inference/backend.ts';
import { createInference, type Inference } from '../services/inference/index.ts';
import type { AppContext } from './app-context.ts';

/** `given`: in the place of the configured ones. */
export function openInference(
  { config, clock, randomBytes }: AppContext,
  { given }: { given: readonly Backend[] | undefined },
): Inference {
  const backends = given ?? [];
  return createInference({ backends, lastsMs: config.aiStreamMaxMs, clock, randomBytes });
}

/** What answers of models are made of: the backends, and the one service that asks them. */

import type { Backend } from '../core/inference/backend.ts';
import { createInference, type Inference } from '../services/inference/index.ts';
import type { AppContext } from './app-context.ts';

/** `given`: in the place of the configured ones. */
export function openInference(
  { config, clock, randomBytes }: AppContext,
  given: { given: readonly Backend[] | undefined } & Pick<Parameters<typeof createInference>[0], 'ledger' | 'activity'>,
): Inference {
  const { given: backends = [], ledger, activity } = given;
  return createInference({ backends, ledger, activity, lastsMs: config.aiStreamMaxMs, clock, randomBytes });
}

import { z } from 'zod';
import type { Model } from '../../../core/inference/backend.ts';
import { namedObject } from '../../fields.ts';
import { unixSeconds } from '../chat/chat-answer.ts';

const permission = namedObject('AiModelPermission', {
  id: z.string(),
  object: z.literal('model_permission'),
  created: z.int().meta({ description: 'Unix seconds' }),
  allow_create_engine: z.boolean(),
  allow_sampling: z.boolean(),
  allow_logprobs: z.boolean(),
  allow_search_indices: z.boolean(),
  allow_view: z.boolean(),
  allow_fine_tuning: z.boolean(),
  organization: z.string(),
  group: z.string().nullable(),
  is_blocking: z.boolean(),
});

export const aiModel = namedObject('AiModel', {
  id: z.string(),
  object: z.literal('model'),
  created: z.int().meta({ description: 'Unix seconds at which its configuration was read' }),
  owned_by: z.string(),
  root: z.string(),
  parent: z.string().nullable(),
  permission: z.array(permission),
});

/** What the service does with any model: it answers, and shows no probabilities. */
export function presentModel({ id, ownedBy, createdAt }: Model): z.input<typeof aiModel> {
  const created = unixSeconds(createdAt);
  const allowed = {
    ...{ id: `modelperm-${id}`, object: 'model_permission' as const, created },
    ...{ allow_create_engine: false, allow_sampling: true, allow_logprobs: false, allow_search_indices: false },
    ...{ allow_view: true, allow_fine_tuning: false, organization: '*', group: null, is_blocking: false },
  };
  return { id, object: 'model', created, owned_by: ownedBy, root: id, parent: null, permission: [allowed] };
}

export const modelExample = presentModel({
  ...{ id: 'ashlar-guide', ownedBy: 'ashlar', createdAt: 1_790_000_000_000, contextLength: null },
  ...{ price: null, maySeeRecords: true, embeddings: false },
});

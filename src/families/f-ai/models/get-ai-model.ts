import { z } from 'zod';
import { operation } from '../../../hooks/operation.ts';
import type { Inference } from '../../../services/inference/index.ts';
import { aiModel, modelExample, presentModel } from './ai-model-answer.ts';

export const getAiModel = (inference: Pick<Inference, 'model'>) =>
  operation({
    id: 'ai-model.get',
    family: 'f',
    method: 'GET',
    path: '/v1/ai/models/{model_id}',
    summary: 'A model',
    description: 'Ids may hold slashes, which need not be escaped.',
    tag: 'AI',
    effect: 'read',
    access: { scope: 'ai:read', role: 'viewer' },
    params: z.strictObject({ model_id: z.string().min(1).max(256) }),
    takesSlashes: true,
    success: { status: 200, schema: aiModel, description: 'The model' },
    errors: ['not_found'],
    example: { params: { model_id: modelExample.id }, response: modelExample },
    run: async ({ params }) => inference.model(params.model_id),
    present: presentModel,
  });

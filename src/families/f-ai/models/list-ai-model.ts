import { z } from 'zod';
import { operation } from '../../../hooks/operation.ts';
import type { Inference } from '../../../services/inference/index.ts';
import { namedObject } from '../../fields.ts';
import { aiModel, modelExample, presentModel } from './ai-model-answer.ts';

export const listAiModel = (inference: Pick<Inference, 'models'>) =>
  operation({
    id: 'ai-model.list',
    family: 'f',
    method: 'GET',
    path: '/v1/ai/models',
    summary: 'Models that can be asked',
    tag: 'AI',
    effect: 'read',
    access: { scope: 'ai:read', role: 'viewer' },
    success: {
      status: 200,
      schema: namedObject('AiModelList', { object: z.literal('list'), data: z.array(aiModel) }),
      description: 'All of them',
    },
    example: { response: { object: 'list', data: [modelExample] } },
    run: async () => inference.models(),
    present: (models) => ({ object: 'list', data: models.map(presentModel) }),
  });

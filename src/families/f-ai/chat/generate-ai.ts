import { collectAnswer } from '../../../core/inference/collect-answer.ts';
import { operation } from '../../../hooks/operation.ts';
import type { Inference } from '../../../services/inference/index.ts';
import { chatCompletion, completionExample, presentCompletion } from './chat-answer.ts';
import { chatRequest } from './chat-request.ts';
import { readChatRequest } from './read-chat-request.ts';

/** Two paths: the interface's, and the one that clients of OpenAI know. */
const answersChat = (inference: Inference, names: { id: string; path: string; summary: string; description: string }) =>
  operation({
    ...names,
    family: 'f',
    method: 'POST',
    tag: 'AI',
    effect: 'compute',
    access: { scope: 'ai:write', role: 'viewer' },
    secretBody: true,
    body: chatRequest,
    success: { status: 200, schema: chatCompletion, description: 'The answer' },
    errors: ['not_found', 'rate_limited', 'unavailable'],
    example: {
      body: { model: 'ashlar-guide', messages: [{ role: 'user', content: 'How do I bump a fee?' }] },
      response: completionExample,
    },
    async run({ body }, context) {
      const generation = await inference.generate(readChatRequest(body), context);
      return { ...generation, whole: await collectAnswer(generation.pieces) };
    },
    present: presentCompletion,
  });

export const generateAi = (inference: Inference) =>
  answersChat(inference, {
    id: 'ai.generate',
    path: '/v1/ai/generate',
    summary: 'Ask a model',
    description: 'Chat completions as clients of OpenAI know them.',
  });

export const completeAi = (inference: Inference) =>
  answersChat(inference, {
    id: 'ai.complete',
    path: '/v1/ai/chat/completions',
    summary: 'Ask a model, by the path that OpenAI clients use',
    description: 'The same as POST /v1/ai/generate: OpenAI clients work with the base URL /v1/ai.',
  });

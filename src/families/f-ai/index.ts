import { familyPlugin } from '../../hooks/family.ts';
import type { Inference } from '../../services/inference/index.ts';
import { completeAi, generateAi } from './chat/generate-ai.ts';
import { getAiModel } from './models/get-ai-model.ts';
import { listAiModel } from './models/list-ai-model.ts';
import { statusAi } from './status-ai.ts';

/** Family F: models. */
export const ai = familyPlugin<{ inference: Inference; version: string }>({
  name: 'f-ai',
  tags: { AI: 'Models behind one door, for clients that know OpenAI’s: [guide](/docs/ai).' },
  operations: ({ inference, version }) => [
    generateAi(inference),
    completeAi(inference),
    listAiModel(inference),
    getAiModel(inference),
    statusAi(inference, version),
  ],
  // Answers that go on for minutes would hold the service up.
  routes: async (app, { inference }) => {
    app.addHook('preClose', async () => inference.stop());
  },
});

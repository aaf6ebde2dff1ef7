import { familyPlugin } from '../../hooks/family.ts';
import type { Inference } from '../../services/inference/index.ts';
import { type ChatDeps, completeAi, generateAi } from './chat/generate-ai.ts';
import { embedAi } from './embed-ai.ts';
import { addMcp } from './mcp/index.ts';
import { getAiModel } from './models/get-ai-model.ts';
import { listAiModel } from './models/list-ai-model.ts';
import { statusAi } from './status-ai.ts';

/** Family F: models. */
export const ai = familyPlugin<{ inference: Inference; version: string; log: ChatDeps['log'] }>({
  name: 'f-ai',
  tags: { AI: 'Models behind one door, for clients that know OpenAI’s: [guide](/docs/ai).' },
  operations: ({ inference, version, log }) => [
    generateAi({ inference, log }),
    completeAi({ inference, log }),
    embedAi(inference),
    listAiModel(inference),
    getAiModel(inference),
    statusAi(inference, version),
  ],
  // Answers that go on for minutes would hold the service up.
  routes: async (app, { inference, version }) => {
    await addMcp(app, { version });
    app.addHook('preClose', async () => inference.stop());
  },
});

import type { MusigDependencies } from './musig/change-session.ts';
import { createMusigSessions } from './musig/musig-sessions.ts';
import { createSignMessage } from './sign-message.ts';
import { createTaprootOutputs } from './taproot-outputs.ts';

export const createTaproot = (deps: MusigDependencies) => ({
  network: deps.network,
  outputs: createTaprootOutputs(deps),
  musigSessions: createMusigSessions(deps),
  signMessage: createSignMessage(deps),
});

export type TaprootService = ReturnType<typeof createTaproot>;

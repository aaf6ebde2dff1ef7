import type { Network } from '../../core/network.ts';
import type { MusigDependencies } from './musig/change-session.ts';
import { createMusigSessions, type MusigSessions } from './musig/musig-sessions.ts';
import { createSignMessage, type SignMessage } from './sign-message.ts';
import { createTaprootOutputs, type TaprootOutputs } from './taproot-outputs.ts';

export interface TaprootService {
  readonly network: Network;
  readonly outputs: TaprootOutputs;
  readonly musigSessions: MusigSessions;
  readonly signMessage: SignMessage;
}

export const createTaproot = (deps: MusigDependencies): TaprootService => ({
  network: deps.network,
  outputs: createTaprootOutputs(deps),
  musigSessions: createMusigSessions(deps),
  signMessage: createSignMessage(deps),
});

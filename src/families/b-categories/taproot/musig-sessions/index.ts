import type { AnyOperation } from '../../../../hooks/operation.ts';
import type { TaprootService } from '../../../../services/taproot/index.ts';
import { addMusigNonce } from './add-musig-nonce.ts';
import { addMusigPartialSignature } from './add-musig-partial-signature.ts';
import { cancelMusigSession } from './cancel-musig-session.ts';
import { createMusigSession } from './create-musig-session.ts';
import { getMusigSession } from './get-musig-session.ts';
import { listMusigSession } from './list-musig-session.ts';
import { signMusigSession } from './sign-musig-session.ts';
import { updateMusigSession } from './update-musig-session.ts';

export const musigSessionOperations = (taproot: TaprootService): AnyOperation[] => [
  createMusigSession(taproot),
  listMusigSession(taproot),
  getMusigSession(taproot),
  updateMusigSession(taproot),
  cancelMusigSession(taproot),
  addMusigNonce(taproot),
  addMusigPartialSignature(taproot),
  signMusigSession(taproot),
];

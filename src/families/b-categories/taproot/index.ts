import type { AnyOperation } from '../../../hooks/operation.ts';
import type { TaprootService } from '../../../services/taproot/index.ts';
import { listTaproot } from './list-taproot.ts';
import { aggregateMusigKey } from './musig-keys/aggregate-musig-key.ts';
import { addMusigNonce } from './musig-sessions/add-musig-nonce.ts';
import { addMusigPartialSignature } from './musig-sessions/add-musig-partial-signature.ts';
import { cancelMusigSession } from './musig-sessions/cancel-musig-session.ts';
import { createMusigSession } from './musig-sessions/create-musig-session.ts';
import { getMusigSession } from './musig-sessions/get-musig-session.ts';
import { listMusigSession } from './musig-sessions/list-musig-session.ts';
import { signMusigSession } from './musig-sessions/sign-musig-session.ts';
import { updateMusigSession } from './musig-sessions/update-musig-session.ts';
import { createTaprootOutput } from './outputs/create-taproot-output.ts';
import { deleteTaprootOutput } from './outputs/delete-taproot-output.ts';
import { getTaprootOutput } from './outputs/get-taproot-output.ts';
import { listTaprootOutput } from './outputs/list-taproot-output.ts';
import { previewTaprootOutput } from './outputs/preview-taproot-output.ts';
import { updateTaprootOutput } from './outputs/update-taproot-output.ts';
import { computeTaprootSignatureHash } from './signature-hashes/compute-taproot-signature-hash.ts';
import { createTaprootSignature } from './signatures/create-taproot-signature.ts';
import { verifyTaprootSignature } from './signatures/verify-taproot-signature.ts';
import { buildTaprootSpend } from './spends/build-taproot-spend.ts';
import { verifyTaprootSpend } from './spends/verify-taproot-spend.ts';
import { computeTaprootTweak } from './tweaks/compute-taproot-tweak.ts';

export const taprootOperations = ({ taproot }: { taproot: TaprootService }): AnyOperation[] => [
  listTaproot(),
  createTaprootOutput(taproot.outputs),
  previewTaprootOutput(taproot),
  listTaprootOutput(taproot.outputs),
  getTaprootOutput(taproot.outputs),
  updateTaprootOutput(taproot.outputs),
  deleteTaprootOutput(taproot.outputs),
  computeTaprootTweak(taproot),
  computeTaprootSignatureHash(taproot),
  createTaprootSignature(taproot),
  verifyTaprootSignature(),
  buildTaprootSpend(taproot),
  verifyTaprootSpend(taproot),
  aggregateMusigKey(taproot),
  createMusigSession(taproot),
  listMusigSession(taproot),
  getMusigSession(taproot),
  updateMusigSession(taproot),
  cancelMusigSession(taproot),
  addMusigNonce(taproot),
  addMusigPartialSignature(taproot),
  signMusigSession(taproot),
];

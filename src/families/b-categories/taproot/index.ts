import type { AnyOperation } from '../../../hooks/operation.ts';
import type { TaprootService } from '../../../services/taproot/index.ts';
import { listTaproot } from './list-taproot.ts';
import { aggregateMusigKey } from './musig-keys/aggregate-musig-key.ts';
import { musigSessionOperations } from './musig-sessions/index.ts';
import { outputOperations } from './outputs/index.ts';
import { computeTaprootSignatureHash } from './signature-hashes/compute-taproot-signature-hash.ts';
import { createTaprootSignature } from './signatures/create-taproot-signature.ts';
import { verifyTaprootSignature } from './signatures/verify-taproot-signature.ts';
import { buildTaprootSpend } from './spends/build-taproot-spend.ts';
import { verifyTaprootSpend } from './spends/verify-taproot-spend.ts';
import { computeTaprootTweak } from './tweaks/compute-taproot-tweak.ts';

export const taprootOperations = ({ taproot }: { taproot: TaprootService }): AnyOperation[] => [
  listTaproot(),
  ...outputOperations(taproot),
  computeTaprootTweak(taproot),
  computeTaprootSignatureHash(taproot),
  createTaprootSignature(taproot),
  verifyTaprootSignature(),
  buildTaprootSpend(taproot),
  verifyTaprootSpend(taproot),
  aggregateMusigKey(taproot),
  ...musigSessionOperations(taproot),
];

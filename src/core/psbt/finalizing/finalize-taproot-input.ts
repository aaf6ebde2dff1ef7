import { hex } from '../../bytes.ts';
import { decodeMiniscript } from '../../scripts/miniscript/decode-miniscript.ts';
import { satisfyMiniscript } from '../../scripts/miniscript/satisfy-miniscript.ts';
import type { SigningView } from '../signing/signing-view.ts';
import { lacking, type Obstacle } from '../signing/spent-part.ts';
import type { TaprootSpend } from '../signing/taproot-spend.ts';
import type { FinalScripts } from './final-scripts.ts';
import { MISMATCH, signaturesLacking } from './finalize-ecdsa-input.ts';
import { knownFacts } from './satisfying-facts.ts';
import { type InputSignatures, taprootSignatures } from './valid-signatures.ts';

/** By the key path where it is signed, which is the cheapest; else by the cheapest leaf that can be satisfied. */
export function finalizeTaprootInput(view: SigningView, index: number, spend: TaprootSpend): FinalScripts | Obstacle {
  const signatures = taprootSignatures(view, index, spend);
  if (signatures.mismatch) return MISMATCH;
  if (signatures.keyPath !== null) return { scriptSig: null, witness: [signatures.keyPath] };
  const witness = cheapestLeaf(view, index, spend, signatures);
  if (witness !== null) return { scriptSig: null, witness };
  return lacking(
    signaturesLacking(signatures, 'neither its key path nor a leaf is satisfied by the signatures that are there'),
  );
}

function cheapestLeaf(
  view: SigningView,
  index: number,
  { leaves }: TaprootSpend,
  { valid }: InputSignatures,
): Uint8Array[] | null {
  const known = knownFacts(view, index, true);
  let best: { witness: Uint8Array[]; size: number } | null = null;
  for (const { script, controlBlock, leafHash } of leaves) {
    const leaf = hex(leafHash);
    const least = script.length + controlBlock.length;
    if (best !== null && least >= best.size) continue;
    const miniscript = decodeMiniscript(script, 'tapscript');
    if (miniscript === null) continue;
    const signature = (key: Uint8Array): Uint8Array | null => valid.get(hex(key) + leaf) ?? null;
    const stack = satisfyMiniscript(miniscript, { ...known, signature });
    if (stack === null) continue;
    const size = stack.reduce((sum, item) => sum + item.length + 1, least);
    if (best === null || size < best.size) best = { witness: [...stack, script, controlBlock], size };
  }
  return best?.witness ?? null;
}

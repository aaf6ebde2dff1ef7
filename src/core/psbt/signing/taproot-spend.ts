import { ecc } from '../../keys/ecc.ts';
import type { XOnlyTweak } from '../../keys/secp256k1.ts';
import { hasCodeSeparator } from '../../scripts/code-separator.ts';
import { parseControlBlock, rootOfPath } from '../../taproot/control-block.ts';
import { TAPSCRIPT_LEAF_VERSION, tapLeafHash, tapTweakHash } from '../../taproot/leaf-hash.ts';
import { INPUT } from '../codec/key-types.ts';
import type { PsbtMap } from '../psbt-map.ts';
import { type Obstacle, unsafe } from './spent-part.ts';

export interface TaprootLeaf {
  readonly script: Uint8Array;
  readonly controlBlock: Uint8Array;
  readonly leafHash: Buffer;
}

/** A taproot input after the checks of what BIP371 says of it against its output key. */
export interface TaprootSpend {
  readonly scheme: 'taproot';
  readonly outputKey: Uint8Array;
  /** null where the PSBT does not say it: the output key may itself be the signer's. */
  readonly internalKey: Uint8Array | null;
  readonly merkleRoot: Uint8Array | null;
  /** Tapscripts (BIP342) that can be signed for, in the order of the fields. */
  readonly leaves: readonly TaprootLeaf[];
}

/** `unsafe` where internal key, merkle root or a control block do not lead to the output key. */
export function taprootSpend(input: PsbtMap, outputKey: Uint8Array): TaprootSpend | Obstacle {
  const commitment = createCommitment(outputKey);
  const leaves: TaprootLeaf[] = [];
  let fromLeaf: { internalKey: Uint8Array; merkleRoot: Uint8Array } | null = null;
  for (const { keyData: controlBlock, value } of input.all(INPUT.TAP_LEAF_SCRIPT)) {
    const block = parseControlBlock(controlBlock);
    const script = value.subarray(0, -1);
    const leafVersion = value[value.length - 1] as number;
    if (block === null || block.leafVersion !== leafVersion)
      return unsafe("a leaf's control block is malformed, or of another leaf version");
    const leafHash = tapLeafHash(script, leafVersion);
    const merkleRoot = rootOfPath(leafHash, block.path);
    if (commitment(block.internalKey, merkleRoot) !== block.parity)
      return unsafe("a leaf's control block does not lead to its output key");
    fromLeaf ??= { internalKey: block.internalKey, merkleRoot };
    if (leafVersion === TAPSCRIPT_LEAF_VERSION && !hasCodeSeparator(script))
      leaves.push({ script, controlBlock, leafHash });
  }
  const internalKey = input.get(INPUT.TAP_INTERNAL_KEY) ?? fromLeaf?.internalKey ?? null;
  const merkleRoot = input.get(INPUT.TAP_MERKLE_ROOT) ?? fromLeaf?.merkleRoot ?? null;
  if (internalKey !== null && commitment(internalKey, merkleRoot) === null)
    return unsafe('its internal key and merkle root do not lead to its output key');
  return { scheme: 'taproot', outputKey, internalKey, merkleRoot, leaves };
}

/** The parity with which a key and a root make the output key, or null. Each pair is computed once: leaves share theirs. */
function createCommitment(outputKey: Uint8Array): (key: Uint8Array, root: Uint8Array | null) => 0 | 1 | null {
  let last: { tweak: Buffer; parity: 0 | 1 | null } | null = null;
  return (key, root) => {
    const tweak = tapTweakHash(key, root);
    if (last === null || Buffer.compare(last.tweak, tweak) !== 0)
      last = { tweak, parity: parityOf(tweakOf(key, tweak), outputKey) };
    return last.parity;
  };
}

const tweakOf = (key: Uint8Array, tweak: Uint8Array): XOnlyTweak | null =>
  ecc.isXOnlyPoint(key) ? ecc.xOnlyPointAddTweak(key, tweak) : null;

const parityOf = (tweaked: XOnlyTweak | null, outputKey: Uint8Array): 0 | 1 | null =>
  tweaked !== null && Buffer.compare(tweaked.xOnlyPubkey, outputKey) === 0 ? tweaked.parity : null;

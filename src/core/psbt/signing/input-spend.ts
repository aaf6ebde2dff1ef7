import { sameBytes } from '../../bytes.ts';
import { hash160, sha256 } from '../../hashes.ts';
import { outputKind } from '../../relay-policy/standard-scripts.ts';
import { hasCodeSeparator } from '../../scripts/code-separator.ts';
import { keyHashScript } from '../../scripts/output-scripts.ts';
import type { SpentPart } from '../../scripts/transaction-parts.ts';
import { INPUT } from '../codec/key-types.ts';
import type { PsbtMap } from '../psbt-map.ts';
import { isObstacle, lacking, type Obstacle, spentPartOf, unsafe } from './spent-part.ts';
import { type TaprootSpend, taprootSpend } from './taproot-spend.ts';

/** An input whose signatures are ECDSA's, after BIP174's checks of its scripts. */
export interface EcdsaSpend {
  readonly scheme: 'legacy' | 'segwit-v0';
  /** What the script that is signed for wants: a key of this hash, or whatever the script says. */
  readonly lock: { readonly form: 'key-hash'; readonly keyHash: Uint8Array } | { readonly form: 'script' };
  /** BIP143's script code, or what stands for the scriptSig in the hash from before it. The script to satisfy where `lock` is a script. */
  readonly scriptCode: Uint8Array;
  /** What the scriptSig ends with; null where the output is no P2SH. */
  readonly redeemScript: Uint8Array | null;
  /** What the witness ends with; null where the program is no P2WSH. */
  readonly witnessScript: Uint8Array | null;
}

export type InputSpend = EcdsaSpend | TaprootSpend;

const MAX_REDEEM_SCRIPT = 520;
const MAX_WITNESS_SCRIPT = 10_000;

/** How an input is spent, from its own fields alone; or why that cannot be said, or must not be signed. */
export function inputSpend(input: PsbtMap, spent: SpentPart | Obstacle = spentPartOf(input)): InputSpend | Obstacle {
  if (isObstacle(spent)) return spent;
  const { script } = spent;
  const kind = outputKind(script);
  const redeemScript = input.get(INPUT.REDEEM_SCRIPT);
  if (kind !== 'p2sh') {
    if (redeemScript !== null) return unsafe('it has a redeem script, and its output is no P2SH');
    return spendOf(input, script, kind, null);
  }
  if (redeemScript === null) return lacking('its redeem script is missing');
  if (!sameBytes(hash160(redeemScript), script.subarray(2, 22)))
    return unsafe('its redeem script is not the one that its output pays to');
  if (redeemScript.length > MAX_REDEEM_SCRIPT) return lacking('its redeem script is longer than can be spent');
  return spendOf(input, redeemScript, outputKind(redeemScript), redeemScript);
}

function spendOf(
  input: PsbtMap,
  script: Uint8Array,
  kind: ReturnType<typeof outputKind>,
  redeemScript: Uint8Array | null,
): InputSpend | Obstacle {
  const witnessScript = input.get(INPUT.WITNESS_SCRIPT);
  if (kind === 'p2wsh') return witnessScriptSpend(script, witnessScript, redeemScript);
  if (witnessScript !== null) return unsafe('it has a witness script, and its output or redeem script is no P2WSH');
  if (kind === 'p2wpkh') {
    const keyHash = script.subarray(2);
    const lock = { form: 'key-hash', keyHash } as const;
    return { scheme: 'segwit-v0', lock, scriptCode: keyHashScript(keyHash), redeemScript, witnessScript: null };
  }
  if (kind === 'p2tr' && redeemScript === null) return taprootSpend(input, script.subarray(2));
  if (kind === 'witness-unknown' || kind === 'p2a' || kind === 'p2tr')
    return lacking('its output has a witness program that is not signed for');
  if (kind === 'null-data') return lacking('its output can never be spent');
  if (input.has(INPUT.WITNESS_UTXO))
    return unsafe(
      'a witness UTXO is given, and it is spent without a witness: give its previous transaction (non-witness UTXO) alone',
    );
  if (hasCodeSeparator(script)) return lacking('its script has an OP_CODESEPARATOR');
  const lock =
    kind === 'p2pkh' ? ({ form: 'key-hash', keyHash: script.subarray(3, 23) } as const) : ({ form: 'script' } as const);
  return { scheme: 'legacy', lock, scriptCode: script, redeemScript, witnessScript: null };
}

function witnessScriptSpend(
  program: Uint8Array,
  witnessScript: Uint8Array | null,
  redeemScript: Uint8Array | null,
): EcdsaSpend | Obstacle {
  if (witnessScript === null) return lacking('its witness script is missing');
  if (!sameBytes(sha256(witnessScript), program.subarray(2)))
    return unsafe(
      `its witness script is not the one that its ${redeemScript === null ? 'output' : 'redeem script'} pays to`,
    );
  if (witnessScript.length > MAX_WITNESS_SCRIPT) return lacking('its witness script is longer than can be spent');
  if (hasCodeSeparator(witnessScript)) return lacking('its witness script has an OP_CODESEPARATOR');
  return { scheme: 'segwit-v0', lock: { form: 'script' }, scriptCode: witnessScript, redeemScript, witnessScript };
}

import type { Transaction } from 'bitcoinjs-lib';
import { parseTransaction } from '../blocks/transaction.ts';
import { DomainError } from '../errors.ts';
import { hash160 } from '../hashes.ts';
import type { Secp256k1 } from '../keys/secp256k1.ts';
import { outpointKey } from '../outpoint.ts';
import type { PaymentPlan, PlannedInput } from '../payments/payment-plan.ts';
import { isScriptHash } from '../script-type.ts';
import { derWithHashType } from '../scripts/der-signature.ts';
import { keyHashScript, p2sh, p2tr, witnessProgramScript } from '../scripts/output-scripts.ts';
import {
  createSignatureHasher,
  SIGHASH_ALL,
  SIGHASH_DEFAULT,
  type SignatureHasher,
} from '../scripts/signature-hash.ts';
import { tweakPrivateKey } from '../taproot/tweak.ts';
import { buildTransaction, txidOf } from './build-transaction.ts';
import type { KeyRing } from './signing-input.ts';

export interface SigningTools {
  readonly ecc: Secp256k1;
  /** For BIP340's auxiliary randomness. */
  readonly randomBytes: (size: number) => Uint8Array;
  /** Check each signature after making it, as Core does, so that a computing fault never reaches the network. Default true. */
  readonly verify?: boolean;
}

type SignablePlan = Pick<PaymentPlan, 'version' | 'locktime' | 'inputs' | 'outputs'>;

/**
 * Builds and signs a planned transaction whose inputs are all p2wpkh, p2tr (BIP86 key path), p2sh-p2wpkh or p2pkh. Private keys are
 * overwritten after use. Steps: hundreds of signatures take as many tenths of a millisecond. Throws `signing_unavailable` for another script type and where the key ring's key is not the coin's.
 */
export function* signTransaction(plan: SignablePlan, keys: KeyRing, tools: SigningTools) {
  const transaction = buildTransaction(plan);
  const unsignedTxid = txidOf(transaction);
  const hasher = createSignatureHasher(parseTransaction(transaction.toBuffer()), plan.inputs);
  for (const [index, input] of plan.inputs.entries()) {
    signInput({ transaction, hasher, tools, index, input }, keys);
    yield;
  }
  const raw = Buffer.from(transaction.toBuffer());
  const weight = transaction.weight();
  return {
    raw,
    txid: txidOf(transaction),
    /** What the txid was before signing; the same where all inputs are native segwit. */
    unsignedTxid,
    vsize: Math.ceil(weight / 4),
    weight,
  };
}

export interface InputSigning {
  readonly transaction: Transaction;
  readonly hasher: SignatureHasher;
  readonly tools: SigningTools;
  readonly index: number;
  readonly input: PlannedInput;
}

/** Signs one input in place, as signTransaction does each. */
export function signInput(signing: InputSigning, keys: KeyRing): void {
  const { input } = signing;
  if (isScriptHash(input.scriptType))
    throw new DomainError(
      'signing_unavailable',
      `${outpointKey(input)} needs several signatures, which are not made here`,
    );
  const privateKey = keys.privateKey(input.change, input.index);
  try {
    if (input.scriptType === 'p2tr') signTaproot(signing, privateKey);
    else signEcdsa(signing, privateKey, input.scriptType);
  } finally {
    privateKey.fill(0);
  }
}

function signEcdsa(
  { transaction, hasher, tools, index, input }: InputSigning,
  privateKey: Uint8Array,
  scriptType: 'p2wpkh' | 'p2sh-p2wpkh' | 'p2pkh',
): void {
  const publicKey = tools.ecc.pointFromScalar(privateKey, true)!;
  const keyHash = hash160(publicKey);
  const program = witnessProgramScript(0, keyHash);
  const keyScript = keyHashScript(keyHash);
  const expected = {
    p2wpkh: () => program,
    'p2sh-p2wpkh': () => p2sh(program),
    p2pkh: () => keyScript,
  }[scriptType]();
  checkScript(input, expected);

  // BIP143: the script code of a key hash is its P2PKH script.
  const hash =
    scriptType === 'p2pkh'
      ? hasher.legacy(index, keyScript, SIGHASH_ALL)
      : hasher.segwitV0(index, keyScript, SIGHASH_ALL);
  const compact = tools.ecc.signEcdsa(hash, privateKey);
  if (tools.verify !== false && !tools.ecc.verifyEcdsa(hash, publicKey, compact)) throw faulty(input);
  const signature = derWithHashType(compact, SIGHASH_ALL);
  const target = transaction.ins[index]!;
  if (scriptType === 'p2pkh') {
    target.script = Buffer.concat([Buffer.of(signature.length), signature, Buffer.of(publicKey.length), publicKey]);
    return;
  }
  target.witness = [signature, publicKey];
  if (scriptType === 'p2sh-p2wpkh') target.script = Buffer.concat([Buffer.of(program.length), program]);
}

function signTaproot({ transaction, hasher, tools, index, input }: InputSigning, privateKey: Uint8Array): void {
  const { ecc } = tools;
  const tweaked = tweakPrivateKey(privateKey, null);
  try {
    const outputKey = ecc.xOnlyPointFromScalar(tweaked);
    checkScript(input, p2tr(outputKey));
    const hash = hasher.taproot(index, SIGHASH_DEFAULT);
    const signature = ecc.signSchnorr(hash, tweaked, tools.randomBytes(32));
    if (tools.verify !== false && !ecc.verifySchnorr(hash, outputKey, signature)) throw faulty(input);
    transaction.ins[index]!.witness = [signature];
  } finally {
    tweaked.fill(0);
  }
}

function checkScript(input: PlannedInput, expected: Buffer): void {
  if (expected.toString('hex') !== input.scriptPubKey)
    throw new DomainError(
      'signing_unavailable',
      `the wallet's key for ${outpointKey(input)} does not belong to its script`,
    );
}

const faulty = (input: PlannedInput): Error =>
  new Error(`the signature just made for ${outpointKey(input)} is not valid`);

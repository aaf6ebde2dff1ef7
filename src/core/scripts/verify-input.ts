import { crypto } from 'bitcoinjs-lib';
import { sha256 } from '../blocks/hash256.ts';
import type { ParsedInput, ParsedOutput } from '../blocks/transaction.ts';
import type { Secp256k1 } from '../keys/secp256k1.ts';
import { outputKind } from '../policy/standard-scripts.ts';
import { compactFromDer } from './der-signature.ts';
import { type Multisig, multisigOf, pushesOf } from './script-elements.ts';
import { SIGHASH_ANYONECANPAY, SIGHASH_DEFAULT, SIGHASH_SINGLE, type SignatureHasher } from './signature-hash.ts';

/** `reason` is Bitcoin Core's text of the script error where it has one; `unsupported`: not judged, for lack of a script interpreter. */
export type InputVerdict =
  | { readonly valid: true }
  | { readonly valid: false; readonly unsupported: boolean; readonly reason: string };

export type SignatureVerifier = Pick<Secp256k1, 'verifyEcdsa' | 'verifySchnorr'>;

/**
 * Checks the unlocking data of one input against the output it spends, under Bitcoin Core's standardness flags (strict DER, low S,
 * NULLFAIL, NULLDUMMY, clean stack, compressed keys in segwit), for P2PKH, P2WPKH, P2TR by key path, and multisig in P2WSH or P2SH,
 * the witness forms also within P2SH. Any other script is unsupported.
 */
export function verifyInput(hasher: SignatureHasher, index: number, ecc: SignatureVerifier): InputVerdict {
  const input = hasher.transaction.inputs[index] as ParsedInput;
  const spent = hasher.spent[index] as ParsedOutput;
  const scriptPubKey = Buffer.from(spent.scriptPubKey, 'hex');
  const kind = outputKind(scriptPubKey);
  const check: Check = { hasher, index, ecc };
  switch (kind) {
    case 'p2pkh':
      if (input.witness.length > 0) return WITNESS_UNEXPECTED;
      return payToKeyHash(check, input.scriptSig, scriptPubKey, scriptPubKey.subarray(3, 23));
    case 'p2sh':
      return payToScriptHash(check, input, scriptPubKey.subarray(2, 22));
    case 'p2wpkh':
    case 'p2wsh':
    case 'p2tr':
      if (input.scriptSig.length > 0) return invalid('Witness requires empty scriptSig');
      return witnessProgram(check, input.witness, kind, scriptPubKey.subarray(2));
    default:
      return unsupported(`spending a ${kind} output`);
  }
}

interface Check {
  readonly hasher: SignatureHasher;
  readonly index: number;
  readonly ecc: SignatureVerifier;
}

const VALID: InputVerdict = { valid: true };
const invalid = (reason: string): InputVerdict => ({ valid: false, unsupported: false, reason });
const unsupported = (what: string): InputVerdict => ({
  valid: false,
  unsupported: true,
  reason: `${what} is not supported`,
});
const WITNESS_UNEXPECTED = invalid('Witness provided for non-witness script');
const NULL_FAIL = invalid('Signature must be zero for failed CHECK(MULTI)SIG operation');
const EVAL_FALSE = invalid('Script evaluated without error but finished with a false/empty top stack element');

function payToKeyHash(check: Check, scriptSig: Uint8Array, scriptCode: Uint8Array, keyHash: Uint8Array): InputVerdict {
  const stack = pushesOf(scriptSig);
  if (!stack) return invalid('Only push operators allowed in signatures');
  if (stack.length < 2) return invalid('Operation not valid with the current stack size');
  const [signature, key] = stack as [Uint8Array, Uint8Array];
  const sign: Sighash = (hashType) => check.hasher.legacy(check.index, scriptCode, hashType);
  return stack.length > 2
    ? invalid('Stack size must be exactly one after execution')
    : keyHashSignature(check, signature, key, keyHash, sign);
}

function payToScriptHash(check: Check, input: ParsedInput, scriptHash: Uint8Array): InputVerdict {
  const stack = pushesOf(input.scriptSig);
  if (!stack) return invalid('Only push operators allowed in signatures');
  const redeemScript = stack.pop();
  if (!redeemScript || !equal(crypto.hash160(redeemScript), scriptHash)) return EVAL_FALSE;
  const inner = outputKind(redeemScript);
  if (inner === 'p2wpkh' || inner === 'p2wsh') {
    if (stack.length > 0) return invalid('Witness requires only-redeemscript scriptSig');
    return witnessProgram(check, input.witness, inner, redeemScript.subarray(2));
  }
  if (input.witness.length > 0) return WITNESS_UNEXPECTED;
  const multisig = multisigOf(redeemScript);
  if (!multisig) return unsupported(`a P2SH redeem script of kind ${inner}`);
  return multisigSignatures(check, stack, multisig, false, (hashType) =>
    check.hasher.legacy(check.index, redeemScript, hashType),
  );
}

function witnessProgram(
  check: Check,
  witness: readonly Uint8Array[],
  kind: 'p2wpkh' | 'p2wsh' | 'p2tr',
  program: Uint8Array,
): InputVerdict {
  if (witness.length === 0) return invalid('Witness program was passed an empty witness');
  if (kind === 'p2tr') return taprootKeyPath(check, witness, program);
  const signing =
    (scriptCode: Uint8Array): Sighash =>
    (hashType) =>
      check.hasher.segwitV0(check.index, scriptCode, hashType);
  if (kind === 'p2wpkh') {
    if (witness.length !== 2) return invalid('Witness program hash mismatch');
    const [signature, key] = witness as [Uint8Array, Uint8Array];
    if (key.length !== 33 || (key[0] !== 2 && key[0] !== 3)) return invalid('Using non-compressed keys in segwit');
    const scriptCode = Buffer.concat([P2PKH_HEAD, program, P2PKH_TAIL]);
    return keyHashSignature(check, signature, key, program, signing(scriptCode));
  }
  const witnessScript = witness[witness.length - 1] as Uint8Array;
  if (!equal(sha256(witnessScript), program)) return invalid('Witness program hash mismatch');
  const multisig = multisigOf(witnessScript);
  if (!multisig) return unsupported('a witness script other than multisig');
  return multisigSignatures(check, witness.slice(0, -1), multisig, true, signing(witnessScript));
}

const P2PKH_HEAD = Buffer.from('76a914', 'hex');
const P2PKH_TAIL = Buffer.from('88ac', 'hex');

function taprootKeyPath(check: Check, witness: readonly Uint8Array[], outputKey: Uint8Array): InputVerdict {
  if (witness.length > 1) return unsupported('a taproot script path or annex');
  const signature = witness[0] as Uint8Array;
  if (signature.length !== 64 && signature.length !== 65) return invalid('Invalid Schnorr signature size');
  const hashType = signature.length === 64 ? SIGHASH_DEFAULT : (signature[64] as number);
  if (signature.length === 65 && !isDefinedHashType(hashType)) return invalid('Invalid Schnorr signature hash type');
  if ((hashType & 3) === SIGHASH_SINGLE && check.index >= check.hasher.transaction.outputs.length)
    return invalid('Invalid Schnorr signature hash type');
  const hash = check.hasher.taproot(check.index, hashType);
  return verifiesSchnorr(check.ecc, hash, outputKey, signature.subarray(0, 64))
    ? VALID
    : invalid('Invalid Schnorr signature');
}

/** An x-only key that is on no curve point makes the verifier throw: nobody can sign for it. */
function verifiesSchnorr(ecc: SignatureVerifier, hash: Uint8Array, key: Uint8Array, signature: Uint8Array): boolean {
  try {
    return ecc.verifySchnorr(hash, key, signature);
  } catch {
    return false;
  }
}

type Sighash = (hashType: number) => Uint8Array;

function keyHashSignature(
  check: Check,
  signature: Uint8Array,
  key: Uint8Array,
  keyHash: Uint8Array,
  sighash: Sighash,
): InputVerdict {
  if (!equal(crypto.hash160(key), keyHash)) return invalid('Script failed an OP_EQUALVERIFY operation');
  if (!isPlausibleKey(key)) return invalid('Public key is neither compressed or uncompressed');
  if (signature.length === 0) return EVAL_FALSE;
  const decoded = decodeSignature(check, signature);
  if ('valid' in decoded) return decoded;
  return check.ecc.verifyEcdsa(sighash(decoded.hashType), key, decoded.compact) ? VALID : NULL_FAIL;
}

function multisigSignatures(
  check: Check,
  stack: readonly Uint8Array[],
  { required, keys }: Multisig,
  segwit: boolean,
  sighash: Sighash,
): InputVerdict {
  if (stack.length < required + 1) return invalid('Operation not valid with the current stack size');
  if (stack.length > required + 1) return invalid('Stack size must be exactly one after execution');
  if ((stack[0] as Uint8Array).length > 0) return invalid('Dummy CHECKMULTISIG argument must be zero');
  if (segwit && keys.some((key) => key.length !== 33)) return invalid('Using non-compressed keys in segwit');
  if (!keys.every(isPlausibleKey)) return invalid('Public key is neither compressed or uncompressed');
  const signatures = stack.slice(1);
  if (signatures.every((signature) => signature.length === 0)) return EVAL_FALSE;
  let next = 0;
  for (const signature of signatures) {
    const decoded = decodeSignature(check, signature);
    if ('valid' in decoded) return decoded;
    const hash = sighash(decoded.hashType);
    // Signatures come in the order of their keys, so a key that was passed over is not tried again.
    while (next < keys.length && !check.ecc.verifyEcdsa(hash, keys[next] as Uint8Array, decoded.compact)) next++;
    if (next === keys.length) return NULL_FAIL;
    next++;
  }
  return VALID;
}

/** An ECDSA signature (DER, then the hash type), or what is wrong with its encoding. */
function decodeSignature(
  check: Check,
  signature: Uint8Array,
): { compact: Uint8Array; hashType: number } | InputVerdict {
  const compact = compactFromDer(signature.subarray(0, -1));
  if (!compact) return invalid('Non-canonical DER signature');
  if (isHighS(compact)) return invalid('Non-canonical signature: S value is unnecessarily high');
  const hashType = signature[signature.length - 1] as number;
  if (!isDefinedHashType(hashType)) return invalid('Signature hash type missing or not understood');
  if ((hashType & 0x1f) === SIGHASH_SINGLE && check.index >= check.hasher.transaction.outputs.length)
    return unsupported('SIGHASH_SINGLE without an output of the same index');
  return { compact, hashType };
}

const HALF_ORDER = Buffer.from('7fffffffffffffffffffffffffffffff5d576e7357a4501ddfe92f46681b20a0', 'hex');
const isHighS = (compact: Uint8Array): boolean => Buffer.compare(compact.subarray(32), HALF_ORDER) > 0;

const isDefinedHashType = (hashType: number): boolean => {
  const base = hashType & ~SIGHASH_ANYONECANPAY;
  return base >= 1 && base <= 3;
};

const isPlausibleKey = (key: Uint8Array): boolean =>
  (key.length === 33 && (key[0] === 2 || key[0] === 3)) || (key.length === 65 && key[0] === 4);

const equal = (a: Uint8Array, b: Uint8Array): boolean => Buffer.compare(a, b) === 0;

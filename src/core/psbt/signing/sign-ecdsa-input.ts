import { hex, sameBytes } from '../../bytes.ts';
import { hash160 } from '../../hashes.ts';
import { compactFromDer, derWithHashType } from '../../scripts/der-signature.ts';
import { keysPushedBy } from '../../scripts/script-keys.ts';
import { isEcdsaSighash, signsOneOutput } from '../../scripts/sighash-type.ts';
import { bip32Derivations } from '../codec/input-fields.ts';
import { INPUT } from '../codec/key-types.ts';
import type { PsbtEntry } from '../psbt-map.ts';
import type { EcdsaSpend } from './input-spend.ts';
import { hashTypeToSign } from './sighash-policy.ts';
import type { InputSigning, SigningJob } from './signing-job.ts';
import type { SigningKey } from './signing-key.ts';

/** Partial signatures of an input by the signer's keys that its script has. */
export function signEcdsaInput(job: SigningJob, spend: EcdsaSpend): InputSigning {
  const { input, signer } = job;
  const wants = keyFilter(spend);
  const keys = signer.keysFor(
    bip32Derivations(input, INPUT.BIP32_DERIVATION).filter(({ publicKey }) => wants(publicKey)),
  );
  try {
    const own = keys.filter(({ publicKey }) => wants(publicKey));
    if (own.length === 0) return { reason: signer.without };
    const unsigned = own.filter(({ publicKey }) => !isSigned(job, spend, publicKey));
    if (unsigned.length === 0) return { reason: 'it is signed by this key already' };
    const hashType = hashTypeToSign(input, job.index, job.view.parts.outputs.length, false, job.allowed);
    const hash = ecdsaHash(job, spend, hashType);
    return { added: unsigned.map((key) => partialSignature(job, key, hash, hashType)), hashType };
  } finally {
    for (const { privateKey } of keys) privateKey.fill(0);
  }
}

/** Its signature is there and holds: what somebody else put in its place must not keep the key from signing. */
function isSigned(job: SigningJob, spend: EcdsaSpend, publicKey: Uint8Array): boolean {
  const { input, index, view, tools } = job;
  const signature = input.get(INPUT.PARTIAL_SIG, publicKey);
  if (signature === null) return false;
  const hashType = signature[signature.length - 1] as number;
  const compact = isEcdsaSighash(hashType) ? compactFromDer(signature.subarray(0, -1)) : null;
  if (compact === null || (signsOneOutput(hashType) && index >= view.parts.outputs.length)) return false;
  view.announceCheck('ecdsa');
  return tools.ecc.verifyEcdsa(ecdsaHash(job, spend, hashType), publicKey, compact);
}

export const ecdsaHash = (
  { view, index }: Pick<SigningJob, 'view' | 'index'>,
  spend: EcdsaSpend,
  hashType: number,
): Uint8Array =>
  spend.scheme === 'legacy'
    ? view.hashes.legacy(index, spend.scriptCode, hashType)
    : view.hashes.segwitV0(index, spend.scriptCode, hashType);

function partialSignature(
  { tools: { ecc }, index }: SigningJob,
  { privateKey, publicKey }: SigningKey,
  hash: Uint8Array,
  hashType: number,
): PsbtEntry {
  const compact = ecc.signEcdsa(hash, privateKey);
  if (!ecc.verifyEcdsa(hash, publicKey, compact))
    throw new Error(`the signature just made for input ${index} is not valid`);
  return { type: INPUT.PARTIAL_SIG, keyData: publicKey, value: derWithHashType(compact, hashType) };
}

/** Whether a public key can sign: its hash or itself stands in the script; uncompressed ones are not valid in segwit. */
export function keyFilter({ scheme, lock, scriptCode }: EcdsaSpend): (publicKey: Uint8Array) => boolean {
  const isForm = (publicKey: Uint8Array): boolean =>
    publicKey.length === 33 || (scheme === 'legacy' && publicKey.length === 65);
  if (lock.form === 'key-hash') return (publicKey) => isForm(publicKey) && sameBytes(hash160(publicKey), lock.keyHash);
  const pushed = keysPushedBy(scriptCode);
  return (publicKey) =>
    isForm(publicKey) && (pushed.has(hex(publicKey)) || pushed.has(hash160(publicKey).toString('hex')));
}

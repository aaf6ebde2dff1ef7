import { SIGHASH_DEFAULT } from '../../scripts/sighash-type.ts';
import { tweakPrivateKey, tweakPublicKey } from '../../taproot/tweak.ts';
import { tapBip32Derivations } from '../codec/input-fields.ts';
import { INPUT } from '../codec/key-types.ts';
import { schnorrHolds } from '../finalizing/valid-signatures.ts';
import { signMusigLast } from '../musig/sign-musig.ts';
import type { PsbtEntry } from '../psbt-map.ts';
import { type LeavesByKey, leavesByKey, leavesOf } from './leaves-by-key.ts';
import { hashTypeToSign } from './sighash-policy.ts';
import type { InputSigning, SigningJob } from './signing-job.ts';
import type { KeyDerivation, SigningKey } from './signing-key.ts';
import type { TaprootLeaf, TaprootSpend } from './taproot-spend.ts';

/** One signature to make: for the key path, tweaked or not, or for a leaf. */
interface Target {
  readonly key: SigningKey;
  readonly path: 'internal-key' | 'output-key' | TaprootLeaf;
}

/** Signs the key path and every leaf whose script has one of the signer's keys, and last in MuSig2 where only this signer is missing. */
export function signTaprootInput(job: SigningJob, spend: TaprootSpend): InputSigning {
  const alone = signAlone(job, spend);
  const together = signMusigLast(job, spend);
  if (together === null) return alone;
  return { ...together, added: 'added' in alone ? [...alone.added, ...together.added] : together.added };
}

function signAlone(job: SigningJob, spend: TaprootSpend): InputSigning {
  const leafKeys = leavesByKey(spend);
  const keys = job.signer.keysFor(derivationsOf(job, spend, leafKeys));
  try {
    const targets = keys.flatMap((key) => (key.publicKey.length === 33 ? targetsOf(key, spend, leafKeys) : []));
    if (targets.length === 0) return { reason: job.signer.without };
    const unsigned = targets.filter((target) => !isSigned(job, spend, target));
    if (unsigned.length === 0) return { reason: 'it is signed by this key already' };
    const missing = job.view.firstUnknown;
    if (missing >= 0)
      return { reason: `the UTXO of input ${missing} is missing, and taproot signatures cover them all` };
    const hashType = hashTypeToSign(job.input, job.index, job.view.parts.outputs.length, true, job.allowed);
    job.announce(unsigned.length);
    return { added: unsigned.map((target) => signature(job, spend, target, hashType)), hashType };
  } finally {
    for (const { privateKey } of keys) privateKey.fill(0);
  }
}

/** Those that can be of use: of the internal or output key, or of a key in a leaf. */
function derivationsOf({ input }: SigningJob, spend: TaprootSpend, leafKeys: LeavesByKey): KeyDerivation[] {
  const derivations: KeyDerivation[] = [];
  for (const { xOnlyKey, leafHashes, fingerprint, path } of tapBip32Derivations(input, INPUT.TAP_BIP32_DERIVATION)) {
    const mayBeInternal =
      spend.internalKey === null ? leafHashes.length === 0 : Buffer.compare(spend.internalKey, xOnlyKey) === 0;
    if (mayBeInternal || Buffer.compare(spend.outputKey, xOnlyKey) === 0 || leavesOf(leafKeys, xOnlyKey).length > 0)
      derivations.push({ publicKey: xOnlyKey, fingerprint, path });
  }
  return derivations;
}

function targetsOf(key: SigningKey, spend: TaprootSpend, leafKeys: LeavesByKey): Target[] {
  const xOnlyKey = key.publicKey.subarray(1);
  const targets: Target[] = [];
  const path = keyPathOf(spend, xOnlyKey);
  if (path !== null) targets.push({ key, path });
  for (const leaf of leavesOf(leafKeys, xOnlyKey)) targets.push({ key, path: leaf });
  return targets;
}

/** An output whose internal key is not given may be BIP86's of this very key. */
function keyPathOf(
  { internalKey, outputKey, merkleRoot }: TaprootSpend,
  xOnlyKey: Uint8Array,
): 'internal-key' | 'output-key' | null {
  const isOutput = (key: Uint8Array): boolean => Buffer.compare(key, outputKey) === 0;
  if (isOutput(xOnlyKey)) return 'output-key';
  if (internalKey !== null) return Buffer.compare(internalKey, xOnlyKey) === 0 ? 'internal-key' : null;
  return isOutput(tweakPublicKey(xOnlyKey, merkleRoot).outputKey) ? 'internal-key' : null;
}

/** Its signature is there and holds: what somebody else put in its place must not keep the key from signing. */
function isSigned({ view, index, input }: SigningJob, spend: TaprootSpend, { key, path }: Target): boolean {
  if (typeof path === 'string') {
    const signature = input.get(INPUT.TAP_KEY_SIG);
    return signature !== null && schnorrHolds(view, index, spend.outputKey, signature, null);
  }
  const signature = input.get(INPUT.TAP_SCRIPT_SIG, scriptSigner(key, path));
  return signature !== null && schnorrHolds(view, index, key.publicKey.subarray(1), signature, path.leafHash);
}

const scriptSigner = ({ publicKey }: SigningKey, { leafHash }: TaprootLeaf): Buffer =>
  Buffer.concat([publicKey.subarray(1), leafHash]);

function signature(job: SigningJob, spend: TaprootSpend, { key, path }: Target, hashType: number): PsbtEntry {
  const { index, view } = job;
  if (typeof path !== 'string') {
    const hash = view.hashes.taproot(index, hashType, { leafHash: path.leafHash });
    const value = schnorr(job, hash, key.privateKey, key.publicKey.subarray(1), hashType);
    return { type: INPUT.TAP_SCRIPT_SIG, keyData: scriptSigner(key, path), value };
  }
  const hash = view.hashes.taproot(index, hashType);
  const secret = path === 'internal-key' ? tweakPrivateKey(key.privateKey, spend.merkleRoot) : key.privateKey;
  try {
    const value = schnorr(job, hash, secret, spend.outputKey, hashType);
    return { type: INPUT.TAP_KEY_SIG, keyData: NO_KEY_DATA, value };
  } finally {
    if (secret !== key.privateKey) secret.fill(0);
  }
}

const NO_KEY_DATA = new Uint8Array(0);

/** 64 bytes, and the hash type where it is not DEFAULT (BIP341). */
function schnorr(
  { tools: { ecc, randomBytes }, index }: SigningJob,
  hash: Uint8Array,
  secret: Uint8Array,
  xOnlyKey: Uint8Array,
  hashType: number,
): Uint8Array {
  const made = ecc.signSchnorr(hash, secret, randomBytes(32));
  if (!ecc.verifySchnorr(hash, xOnlyKey, made))
    throw new Error(`the signature just made for input ${index} is not valid`);
  return hashType === SIGHASH_DEFAULT ? made : Buffer.concat([made, Buffer.of(hashType)]);
}

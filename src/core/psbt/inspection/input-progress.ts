import { hash160 } from '../../hashes.ts';
import { multisigOf } from '../../scripts/script-elements.ts';
import { musigProgress } from '../musig/awaited-round.ts';
import type { PsbtMap } from '../psbt-map.ts';
import type { EcdsaSpend } from '../signing/input-spend.ts';
import { isObstacle } from '../signing/spent-part.ts';
import type { TaprootSpend } from '../signing/taproot-spend.ts';
import type { InputFacts } from './psbt-facts.ts';
import type { InputView, KeyOriginView, MissingSignatureView, SignatureView } from './psbt-view.ts';

export type Progress = Pick<InputView, 'requiredSignatures' | 'missing' | 'lacks'>;

/** How far an input is from being final. */
export function inputProgress(
  facts: InputFacts,
  signatures: readonly SignatureView[],
  origins: ReadonlyMap<string, KeyOriginView>,
): Progress {
  if (facts.finalized) return { requiredSignatures: null, missing: [], lacks: null };
  const { spend } = facts;
  if (isObstacle(spend)) return { requiredSignatures: null, missing: [], lacks: spend.reason };
  return spend.scheme === 'taproot'
    ? taprootProgress(spend, signatures, origins, musigLacks(facts.map))
    : ecdsaProgress(spend, signatures, origins);
}

const TO_BE_FINALIZED = 'nothing but being finalized';
const good = ({ valid }: SignatureView): boolean => valid !== false;

function ecdsaProgress(
  { lock, scriptCode }: EcdsaSpend,
  signatures: readonly SignatureView[],
  origins: ReadonlyMap<string, KeyOriginView>,
): Progress {
  const signed = new Set(signatures.filter(good).map(({ publicKey }) => publicKey));
  if (lock.form === 'key-hash') {
    if (signed.size > 0) return { requiredSignatures: 1, missing: [], lacks: TO_BE_FINALIZED };
    const isKey = ({ publicKey }: KeyOriginView) =>
      Buffer.compare(hash160(Buffer.from(publicKey, 'hex')), lock.keyHash) === 0;
    const key = [...origins.values()].find(isKey);
    return { requiredSignatures: 1, missing: key === undefined ? [] : [missingOf(key)], lacks: 'one signature' };
  }
  const multisig = multisigOf(scriptCode);
  if (multisig === null) {
    const missing = [...origins.values()].filter(({ publicKey }) => !signed.has(publicKey)).map(missingOf);
    return { requiredSignatures: null, missing, lacks: 'what its script asks for: signatures, and maybe preimages' };
  }
  const { required, keys } = multisig;
  const left = required - signed.size;
  if (left <= 0) return { requiredSignatures: required, missing: [], lacks: TO_BE_FINALIZED };
  const missing = keys
    .map((key) => Buffer.from(key).toString('hex'))
    .filter((key) => !signed.has(key))
    .map((publicKey) => missingOf(origins.get(publicKey) ?? { publicKey }));
  return { requiredSignatures: required, missing, lacks: `${left} of ${required} signatures` };
}

function taprootProgress(
  { internalKey, outputKey, merkleRoot, leaves }: TaprootSpend,
  signatures: readonly SignatureView[],
  origins: ReadonlyMap<string, KeyOriginView>,
  shares: string | null,
): Progress {
  const required = merkleRoot === null && leaves.length === 0 ? 1 : null;
  if (signatures.some((one) => one.leafHash === null && good(one)))
    return { requiredSignatures: required, missing: [], lacks: TO_BE_FINALIZED };
  const signed = new Set(signatures.filter(good).map(({ publicKey }) => publicKey));
  const key = Buffer.from(internalKey ?? outputKey).toString('hex');
  const others = [...origins.values()].filter(({ publicKey }) => publicKey !== key && !signed.has(publicKey));
  return {
    requiredSignatures: required,
    missing: [missingOf(origins.get(key) ?? { publicKey: key }), ...others.map(missingOf)],
    lacks:
      required === 1
        ? (shares ?? 'one signature')
        : `${shares ?? "its key's signature"}, or what one of its leaves asks for`,
  };
}

/** Of MuSig2's two rounds (BIP327) the one that is awaited; null where no key is aggregated. */
function musigLacks(input: PsbtMap): string | null {
  const progress = musigProgress(input);
  if (progress === null) return null;
  const { participants, nonces, signatures } = progress;
  if (nonces > 0) return `MuSig2 nonces of ${nonces} of ${participants} participants, then their partial signatures`;
  if (signatures > 0) return `MuSig2 partial signatures of ${signatures} of ${participants} participants`;
  return TO_BE_FINALIZED;
}

const missingOf = (key: Pick<KeyOriginView, 'publicKey'> & Partial<KeyOriginView>): MissingSignatureView => ({
  publicKey: key.publicKey,
  fingerprint: key.fingerprint ?? null,
  path: key.path ?? null,
});

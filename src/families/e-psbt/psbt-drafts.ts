/** What callers describe, as the core takes it. */
import type { z } from 'zod';
import { DomainError } from '../../core/errors.ts';
import { hash160, hash256, ripemd160, sha256 } from '../../core/hashes.ts';
import type { Network } from '../../core/network.ts';
import { INPUT } from '../../core/psbt/codec/key-types.ts';
import type {
  PsbtInputDraft,
  PsbtInputFacts,
  PsbtOutputDraft,
  PsbtOutputFacts,
} from '../../core/psbt/construction/psbt-draft.ts';
import { decodeAddress } from '../../core/relay-policy/address.ts';
import { omitUndefined } from '../optional-values.ts';
import type { inputFacts, NewInputBody, NewOutputBody, outputFacts } from './psbt-requests.ts';

type Shape<Fields extends Record<string, z.ZodType>> = { [Name in keyof Fields]?: z.output<Fields[Name]> | undefined };
type InputFactsBody = Shape<typeof inputFacts>;
type OutputFactsBody = Shape<typeof outputFacts>;

/** `field` is the path of the input in the request. Throws `invalid_address` and `wrong_network`. */
export function inputDraft(body: NewInputBody, network: Network, field: string): PsbtInputDraft {
  const { txid, vout, sequence, required_time_locktime, required_height_locktime } = body;
  return {
    outpoint: { txid, vout },
    ...omitUndefined({
      sequence,
      requiredTimeLocktime: required_time_locktime,
      requiredHeightLocktime: required_height_locktime,
    }),
    ...inputFactsDraft(body, network, field),
  };
}

export function inputFactsDraft(body: InputFactsBody, network: Network, field: string): PsbtInputFacts {
  const { witness_utxo: utxo, bip32_derivation, tap_bip32_derivation, tap_leaf_script } = body;
  return omitUndefined({
    witnessUtxo:
      utxo === undefined
        ? undefined
        : { amountSats: utxo.amount, script: scriptOf(utxo, network, `${field}.witness_utxo`) },
    nonWitnessUtxo: body.non_witness_utxo,
    redeemScript: body.redeem_script,
    witnessScript: body.witness_script,
    bip32Derivations: bip32_derivation?.map(derivation),
    sighashType: body.sighash_type,
    tapInternalKey: body.tap_internal_key,
    tapMerkleRoot: body.tap_merkle_root,
    tapLeafScripts: tap_leaf_script?.map(({ control_block, script, leaf_version }) => ({
      controlBlock: control_block,
      script,
      leafVersion: leaf_version,
    })),
    tapBip32Derivations: tap_bip32_derivation?.map(tapDerivation),
    fields: body.preimages?.map(preimageField),
  });
}

type PreimageHash = 'sha256' | 'hash256' | 'ripemd160' | 'hash160';
const PREIMAGES: Readonly<Record<PreimageHash, { type: number; of(bytes: Uint8Array): Uint8Array }>> = {
  sha256: { type: INPUT.SHA256, of: sha256 },
  hash256: { type: INPUT.HASH256, of: hash256 },
  ripemd160: { type: INPUT.RIPEMD160, of: ripemd160 },
  hash160: { type: INPUT.HASH160, of: hash160 },
};

/** Kept under its hash, by which scripts name it. */
const preimageField = (given: { hash: PreimageHash; preimage: Uint8Array }) => {
  const { type, of } = PREIMAGES[given.hash];
  return { type, keyData: of(given.preimage), value: given.preimage };
};

export const outputDraft = (body: NewOutputBody, network: Network, field: string): PsbtOutputDraft => ({
  amountSats: body.amount,
  script: scriptOf(body, network, field),
  ...outputFactsDraft(body),
});

export const outputFactsDraft = (body: OutputFactsBody): PsbtOutputFacts =>
  omitUndefined({
    redeemScript: body.redeem_script,
    witnessScript: body.witness_script,
    bip32Derivations: body.bip32_derivation?.map(derivation),
    tapInternalKey: body.tap_internal_key,
    tapTree: body.tap_tree?.map(({ depth, script, leaf_version }) => ({ depth, script, leafVersion: leaf_version })),
    tapBip32Derivations: body.tap_bip32_derivation?.map(tapDerivation),
  });

interface OriginBody {
  readonly pubkey: Uint8Array;
  readonly fingerprint: string;
  readonly path: readonly number[];
}

const derivation = ({ pubkey, fingerprint, path }: OriginBody) => ({ publicKey: pubkey, fingerprint, path });

const tapDerivation = ({
  pubkey,
  leaf_hashes,
  ...origin
}: OriginBody & { readonly leaf_hashes: readonly Uint8Array[] }) => ({
  xOnlyKey: pubkey,
  leafHashes: leaf_hashes,
  ...origin,
});

interface PayeeBody {
  readonly address?: string | undefined;
  readonly script_pubkey?: Uint8Array | undefined;
  readonly script?: Uint8Array | undefined;
}

/** One of them is there: the schema sees to it. */
function scriptOf({ address, script, script_pubkey = script }: PayeeBody, network: Network, field: string): Uint8Array {
  if (address === undefined) return script_pubkey as Uint8Array;
  try {
    return Buffer.from(decodeAddress(address, network).scriptPubKey, 'hex');
  } catch (error) {
    throw error instanceof DomainError ? error.at(`${field}.address`) : error;
  }
}

import type { PsbtPlace } from '../psbt-error.ts';
import type { Shape } from './field-shapes.ts';
import * as shape from './field-shapes.ts';
import { GLOBAL, INPUT, OUTPUT } from './key-types.ts';

export type PsbtVersion = 0 | 2;

/** What the BIPs say of one field. */
export interface Field {
  /** As the BIPs name it: PSBT_IN_WITNESS_UTXO. */
  readonly name: string;
  readonly type: number;
  /** null: the key is the type alone, so there is one such field in a map. */
  readonly keyData: Shape | null;
  readonly value: Shape;
  readonly requiredIn: readonly PsbtVersion[];
  readonly excludedFrom: readonly PsbtVersion[];
  /** Where the field of this type is there, this one is not required. */
  readonly requiredUnless: number | null;
  /** Where this field is there, the one of this type must be. */
  readonly needs: number | null;
}

type Columns = Partial<Omit<Field, 'name' | 'type' | 'value'>> & Pick<Field, 'value'>;

/** Of version 2 alone (BIP370, 375, 376). */
const ONLY_V2 = { excludedFrom: [0] } as const;
const REQUIRED_V2 = { requiredIn: [2], excludedFrom: [0] } as const;
const PROPRIETARY: Columns = { keyData: shape.proprietaryKey, value: shape.anyBytes };
const ECDH_SHARE: Columns = { keyData: shape.compressedKey, value: shape.compressedKey, ...ONLY_V2 };
const DLEQ_PROOF: Columns = { keyData: shape.compressedKey, value: shape.proof64, ...ONLY_V2 };
const KEY_DERIVATION: Columns = { keyData: shape.publicKey, value: shape.keyOrigin };
const TAP_KEY_DERIVATION: Columns = { keyData: shape.xOnlyKey, value: shape.tapKeyOrigin };
const PARTICIPANTS: Columns = { keyData: shape.compressedKey, value: shape.participantKeys };
const SCRIPT: Columns = { value: shape.anyBytes };

const GLOBAL_COLUMNS: Record<keyof typeof GLOBAL, Columns> = {
  // Its parts are checked where it is read, as they become the transaction's (unsigned-transaction.ts).
  UNSIGNED_TX: { value: shape.anyBytes, requiredIn: [0], excludedFrom: [2] },
  XPUB: { keyData: shape.extendedPublicKey, value: shape.extendedKeyOrigin },
  TX_VERSION: { value: shape.uint32, ...REQUIRED_V2 },
  FALLBACK_LOCKTIME: { value: shape.uint32, ...ONLY_V2 },
  INPUT_COUNT: { value: shape.count, ...REQUIRED_V2 },
  OUTPUT_COUNT: { value: shape.count, ...REQUIRED_V2 },
  TX_MODIFIABLE: { value: shape.uint8, ...ONLY_V2 },
  SP_ECDH_SHARE: ECDH_SHARE,
  SP_DLEQ: DLEQ_PROOF,
  GENERIC_SIGNED_MESSAGE: { value: shape.utf8Text },
  VERSION: { value: shape.uint32, requiredIn: [2] },
  PROPRIETARY,
};

const INPUT_COLUMNS: Record<keyof typeof INPUT, Columns> = {
  NON_WITNESS_UTXO: { value: shape.transaction },
  WITNESS_UTXO: { value: shape.transactionOutput },
  PARTIAL_SIG: { keyData: shape.publicKey, value: shape.ecdsaSignature },
  SIGHASH_TYPE: { value: shape.uint32 },
  REDEEM_SCRIPT: SCRIPT,
  WITNESS_SCRIPT: SCRIPT,
  BIP32_DERIVATION: KEY_DERIVATION,
  FINAL_SCRIPTSIG: SCRIPT,
  FINAL_SCRIPTWITNESS: { value: shape.witnessStack },
  POR_COMMITMENT: { value: shape.utf8Text },
  RIPEMD160: { keyData: shape.hash20, value: shape.preimageOf('ripemd160') },
  SHA256: { keyData: shape.hash32, value: shape.preimageOf('sha256') },
  HASH160: { keyData: shape.hash20, value: shape.preimageOf('sha256', 'ripemd160') },
  HASH256: { keyData: shape.hash32, value: shape.preimageOf('sha256', 'sha256') },
  PREVIOUS_TXID: { value: shape.hash32, ...REQUIRED_V2 },
  OUTPUT_INDEX: { value: shape.uint32, ...REQUIRED_V2 },
  SEQUENCE: { value: shape.uint32, ...ONLY_V2 },
  REQUIRED_TIME_LOCKTIME: { value: shape.timeLocktime, ...ONLY_V2 },
  REQUIRED_HEIGHT_LOCKTIME: { value: shape.heightLocktime, ...ONLY_V2 },
  TAP_KEY_SIG: { value: shape.schnorrSignature },
  TAP_SCRIPT_SIG: { keyData: shape.tapScriptSigner, value: shape.schnorrSignature },
  TAP_LEAF_SCRIPT: { keyData: shape.controlBlock, value: shape.leafScript },
  TAP_BIP32_DERIVATION: TAP_KEY_DERIVATION,
  TAP_INTERNAL_KEY: { value: shape.xOnlyKey },
  TAP_MERKLE_ROOT: { value: shape.hash32 },
  P2C_TWEAK: { keyData: shape.compressedKey, value: shape.tweak },
  MUSIG2_PARTICIPANT_PUBKEYS: PARTICIPANTS,
  MUSIG2_PUB_NONCE: { keyData: shape.musigSigner, value: shape.publicNonce },
  MUSIG2_PARTIAL_SIG: { keyData: shape.musigSigner, value: shape.partialSignature },
  SP_ECDH_SHARE: ECDH_SHARE,
  SP_DLEQ: DLEQ_PROOF,
  SP_SPEND_BIP32_DERIVATION: { keyData: shape.compressedKey, value: shape.keyOrigin, ...ONLY_V2 },
  SP_TWEAK: { value: shape.tweak, ...ONLY_V2 },
  PROPRIETARY,
};

const OUTPUT_COLUMNS: Record<keyof typeof OUTPUT, Columns> = {
  REDEEM_SCRIPT: SCRIPT,
  WITNESS_SCRIPT: SCRIPT,
  BIP32_DERIVATION: KEY_DERIVATION,
  AMOUNT: { value: shape.amount, ...REQUIRED_V2 },
  // BIP375: the script of a silent payment may not be known yet.
  SCRIPT: { value: shape.anyBytes, ...REQUIRED_V2, requiredUnless: OUTPUT.SP_V0_INFO },
  TAP_INTERNAL_KEY: { value: shape.xOnlyKey },
  TAP_TREE: { value: shape.tapTree },
  TAP_BIP32_DERIVATION: TAP_KEY_DERIVATION,
  MUSIG2_PARTICIPANT_PUBKEYS: PARTICIPANTS,
  SP_V0_INFO: { value: shape.silentPaymentKeys, ...ONLY_V2 },
  SP_V0_LABEL: { value: shape.uint32, ...ONLY_V2, needs: OUTPUT.SP_V0_INFO },
  DNSSEC_PROOF: { value: shape.dnssecProof },
  PROPRIETARY,
};

/** The fields of one kind of map, by type; a type that is not in it is unknown and passes as it is. */
export type FieldTable = readonly (Field | undefined)[];

function table(prefix: string, types: Readonly<Record<string, number>>, columns: Readonly<Record<string, Columns>>) {
  const fields: Field[] = [];
  for (const [name, row] of Object.entries(columns)) {
    const type = types[name] as number;
    fields[type] = {
      name: `${prefix}_${name}`,
      type,
      keyData: null,
      requiredIn: [],
      excludedFrom: [],
      requiredUnless: null,
      needs: null,
      ...row,
    };
  }
  return Array.from({ length: fields.length }, (_, type) => fields[type]);
}

/** Every field that BIP127, 174, 322, 353, 370, 371, 372, 373, 375 and 376 define. */
export const FIELDS: Readonly<Record<PsbtPlace['map'], FieldTable>> = {
  global: table('PSBT_GLOBAL', GLOBAL, GLOBAL_COLUMNS),
  input: table('PSBT_IN', INPUT, INPUT_COLUMNS),
  output: table('PSBT_OUT', OUTPUT, OUTPUT_COLUMNS),
};

/** The field of a type, or null where no BIP defines one. */
export const fieldOf = (map: PsbtPlace['map'], type: number): Field | null => FIELDS[map][type] ?? null;

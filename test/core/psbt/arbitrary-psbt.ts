/** Random PSBTs made by our creator: inputs and outputs of every kind, with all that an updater and a signer add. */
import fc from 'fast-check';
import { ByteWriter } from '../../../src/core/blocks/byte-writer.ts';
import { multisigScript } from '../../../src/core/descriptors/compile-miniscript.ts';
import { hash256, sha256 } from '../../../src/core/hashes.ts';
import { ecc } from '../../../src/core/keys/ecc.ts';
import { displayHash, type Txid } from '../../../src/core/outpoint.ts';
import { INPUT } from '../../../src/core/psbt/codec/key-types.ts';
import { createPsbt } from '../../../src/core/psbt/construction/create-psbt.ts';
import type { PsbtInputDraft, PsbtOutputDraft } from '../../../src/core/psbt/construction/psbt-draft.ts';
import type { PsbtV2 } from '../../../src/core/psbt/psbt.ts';
import type { PsbtEntry } from '../../../src/core/psbt/psbt-map.ts';
import { derWithHashType } from '../../../src/core/scripts/der-signature.ts';
import { p2pkh, p2sh, p2wpkh, p2wsh } from '../../../src/core/scripts/output-scripts.ts';
import { tapLeafHash } from '../../../src/core/taproot/leaf-hash.ts';
import { tapLeaf } from '../../../src/core/taproot/script-tree.ts';
import { taprootOutput } from '../../../src/core/taproot/taproot-output.ts';

const KEYS = Array.from({ length: 12 }, (_, index) => {
  const scalar = Buffer.alloc(32, index + 1);
  const publicKey = Buffer.from(ecc.pointFromScalar(scalar, true) as Uint8Array);
  const signature = derWithHashType(ecc.signEcdsa(sha256(scalar), scalar), 1);
  return { publicKey, xOnly: publicKey.subarray(1), signature };
});
type Key = (typeof KEYS)[number];

const bytes = (length: number) => fc.uint8Array({ minLength: length, maxLength: length });
const key = fc.constantFrom(...KEYS);
const keys = fc.uniqueArray(key, { minLength: 1, maxLength: 3 });
const amount = fc.bigInt({ min: 0n, max: 1_000_000_000n });
const origin = fc.record({
  fingerprint: bytes(4).map((print) => Buffer.from(print).toString('hex')),
  path: fc.array(fc.oneof(fc.nat(0x7fffffff), fc.integer({ min: 0x80000000, max: 0xffffffff })), { maxLength: 6 }),
});

interface Spendable {
  readonly kind: 'legacy' | 'witness' | 'taproot';
  readonly script: Uint8Array;
  readonly facts: Omit<PsbtInputDraft & PsbtOutputDraft, 'outpoint' | 'amountSats' | 'script'>;
}

const derivations = (from: readonly Key[], origins: readonly { fingerprint: string; path: number[] }[]) =>
  from.map(({ publicKey }, index) => ({ publicKey, ...(origins[index] as (typeof origins)[number]) }));
const withOrigins = fc.tuple(keys, fc.array(origin, { minLength: 3, maxLength: 3 }), fc.boolean());

const spendable: fc.Arbitrary<Spendable> = withOrigins.chain(([signers, origins, nested]) => {
  const [first] = signers as [Key];
  const bip32Derivations = derivations(signers, origins);
  const multisig = multisigScript(
    1,
    signers.map(({ publicKey }) => publicKey),
  );
  const program = p2wpkh(first.publicKey);
  const single = { bip32Derivations: bip32Derivations.slice(0, 1) };
  const leaf = tapLeaf(Buffer.concat([Buffer.of(32), first.xOnly, Buffer.of(0xac)]));
  const other = tapLeaf(Buffer.concat([Buffer.of(0x51), first.xOnly.subarray(0, 3)]));
  const taproot = taprootOutput(first.xOnly, nested ? [leaf, other] : null);
  const leafHash = tapLeafHash(leaf.script);
  return fc.constantFrom<Spendable>(
    { kind: 'legacy', script: p2pkh(first.publicKey), facts: single },
    { kind: 'legacy', script: p2sh(multisig), facts: { redeemScript: multisig, bip32Derivations } },
    { kind: 'witness', script: program, facts: single },
    { kind: 'witness', script: p2sh(program), facts: { redeemScript: program, ...single } },
    { kind: 'witness', script: p2wsh(multisig), facts: { witnessScript: multisig, bip32Derivations } },
    {
      kind: 'witness',
      script: p2sh(p2wsh(multisig)),
      facts: { redeemScript: p2wsh(multisig), witnessScript: multisig, bip32Derivations },
    },
    {
      kind: 'taproot',
      script: taproot.scriptPubKey,
      facts: {
        tapInternalKey: first.xOnly,
        tapMerkleRoot: taproot.merkleRoot ?? undefined,
        tapLeafScripts: taproot.leaves,
        tapTree:
          taproot.leaves.length > 0
            ? taproot.leaves.map(({ path, leafVersion, script }) => ({ depth: path.length, leafVersion, script }))
            : undefined,
        tapBip32Derivations: [
          {
            xOnlyKey: first.xOnly,
            leafHashes: nested ? [leafHash] : [],
            ...(origins[0] as { fingerprint: string; path: number[] }),
          },
        ],
      },
    },
  );
});

/** A transaction with this output at that index, and its id. */
export function previousTransaction(script: Uint8Array, amountSats: bigint, vout: number, salt: Uint8Array) {
  const writer = new ByteWriter().uint32(2).compactSize(1).bytes(salt).uint32(7).uint8(0).uint32(0xfffffffe);
  writer.compactSize(vout + 1);
  for (let index = 0; index < vout; index++) writer.int64(BigInt(index)).prefixed(Buffer.of(0x51));
  const raw = writer.int64(amountSats).prefixed(script).uint32(0).done();
  return { raw, txid: displayHash(hash256(raw)) as Txid };
}

/** Types that no BIP defines, and proprietary ones. */
const unknownFields = fc.uniqueArray(
  fc
    .tuple(
      fc.constantFrom(0x40, 0x77, 0xf0, 0xfd, 0x1234, 0x7fffffff),
      fc.uint8Array({ maxLength: 6 }),
      fc.uint8Array({ maxLength: 12 }),
    )
    .map(([type, keyData, value]): PsbtEntry => ({ type, keyData, value })),
  { maxLength: 3, selector: ({ type, keyData }) => `${type}:${keyData}` },
);
const proprietary = fc.tuple(fc.nat(250), fc.uint8Array({ maxLength: 5 }), fc.uint8Array({ maxLength: 9 })).map(
  ([subtype, keyData, value]): PsbtEntry => ({
    type: INPUT.PROPRIETARY,
    keyData: Buffer.from([3, 0x61, 0x62, 0x63, subtype, ...keyData]),
    value,
  }),
);
const furtherFields = fc
  .tuple(unknownFields, fc.option(proprietary, { nil: null }))
  .map(([unknown, own]) => (own === null ? unknown : [...unknown, own]));

const preimages = fc
  .option(bytes(32), { nil: null })
  .map((preimage): PsbtEntry[] =>
    preimage === null ? [] : [{ type: INPUT.SHA256, keyData: sha256(preimage), value: preimage }],
  );

export interface Shape {
  readonly unknowns?: boolean;
  readonly signatures?: boolean;
  readonly fewest?: number;
  readonly most?: number;
}

const optional = <T>(one: fc.Arbitrary<T>) => fc.option(one, { nil: undefined });

type LocktimeKind = 'none' | 'height' | 'time' | 'either';

const inputDraft = (
  locktimes: LocktimeKind,
  { unknowns = true, signatures = true }: Shape,
): fc.Arbitrary<PsbtInputDraft> =>
  fc
    .record({
      spent: spendable,
      amountSats: amount,
      vout: fc.nat(3),
      salt: bytes(32),
      sequence: optional(fc.constantFrom(0, 0xfffffffd, 0xfffffffe, 0xffffffff)),
      sighashType: optional(fc.constantFrom(1, 2, 3, 0x81, 0x82, 0x83)),
      height: optional(fc.integer({ min: 1, max: 499_999_999 })),
      time: optional(fc.integer({ min: 500_000_000, max: 0xffffffff })),
      both: fc.boolean(),
      signed: fc.boolean(),
      further: unknowns ? furtherFields : fc.constant([]),
      preimage: preimages,
    })
    .map(({ spent, amountSats, vout, salt, height, time, both, signed, further, preimage, ...plain }) => {
      const { script, kind } = spent;
      const { tapTree: _outputs, ...facts } = spent.facts;
      const previous = previousTransaction(script, amountSats, vout, salt);
      const whole = kind === 'legacy' || (both && kind === 'witness');
      const signer = KEYS.find(({ publicKey }) => facts.bip32Derivations?.[0]?.publicKey === publicKey);
      const signature =
        signatures && signed && signer
          ? [{ type: INPUT.PARTIAL_SIG, keyData: signer.publicKey, value: signer.signature }]
          : [];
      return {
        ...plain,
        ...facts,
        outpoint: { txid: previous.txid, vout },
        requiredHeightLocktime: locktimes === 'height' || locktimes === 'either' ? height : undefined,
        requiredTimeLocktime:
          locktimes === 'time' || (locktimes === 'either' && height !== undefined) ? time : undefined,
        nonWitnessUtxo: whole ? previous.raw : undefined,
        witnessUtxo: kind === 'legacy' ? undefined : { amountSats, script },
        fields: [...signature, ...preimage, ...further],
      };
    });

const outputDraft = ({ unknowns = true }: Shape): fc.Arbitrary<PsbtOutputDraft> =>
  fc
    .record({ paid: spendable, amountSats: amount, further: unknowns ? furtherFields : fc.constant([]) })
    .map(({ paid: { script, facts }, amountSats, further }) => {
      const { redeemScript, witnessScript, bip32Derivations, tapInternalKey, tapTree, tapBip32Derivations } = facts;
      const described = { redeemScript, witnessScript, bip32Derivations, tapInternalKey, tapTree, tapBip32Derivations };
      return { amountSats, script, ...described, fields: further };
    });

/** Made by `createPsbt`; no two inputs spend one outpoint, and their locktimes go together. */
export const arbitraryPsbt = (shape: Shape = {}): fc.Arbitrary<PsbtV2> =>
  fc.constantFrom<LocktimeKind>('none', 'none', 'height', 'time', 'either').chain((locktimes) =>
    fc
      .record({
        version: fc.constantFrom(2, 3),
        inputs: fc.uniqueArray(inputDraft(locktimes, shape), {
          minLength: shape.fewest ?? 0,
          maxLength: shape.most ?? 4,
          selector: ({ outpoint }) => `${outpoint.txid}:${outpoint.vout}`,
        }),
        outputs: fc.array(outputDraft(shape), { minLength: shape.fewest ?? 0, maxLength: shape.most ?? 4 }),
        fallbackLocktime: optional(fc.nat(0xffffffff)),
        modifiable: optional(fc.record({ inputs: fc.boolean(), outputs: fc.boolean() })),
        fields: shape.unknowns === false ? fc.constant([]) : furtherFields,
      })
      .map(createPsbt),
  );

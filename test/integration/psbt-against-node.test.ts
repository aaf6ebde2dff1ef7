/** Differential: Bitcoin Core reads our PSBTs (as version 0) as we do, and its updater says of a descriptor's scripts what ours says. */
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { RpcError } from '../../src/chain/bitcoind/rpc-error.ts';
import { openDescriptor } from '../../src/core/descriptors/describe-descriptor.ts';
import { scriptsAt } from '../../src/core/descriptors/descriptor-scripts.ts';
import { DomainError } from '../../src/core/errors.ts';
import { bip32Derivations, partialSignatures, tapBip32Derivations } from '../../src/core/psbt/codec/input-fields.ts';
import { INPUT, OUTPUT } from '../../src/core/psbt/codec/key-types.ts';
import { tapTreeLeaves } from '../../src/core/psbt/codec/output-fields.ts';
import { psbtFromText, psbtToBase64 } from '../../src/core/psbt/codec/psbt-text.ts';
import { createPsbt } from '../../src/core/psbt/construction/create-psbt.ts';
import { toVersion0 } from '../../src/core/psbt/construction/migrate.ts';
import { updatePsbt } from '../../src/core/psbt/construction/update-psbt.ts';
import type { PsbtV0, PsbtV2 } from '../../src/core/psbt/psbt.ts';
import { compareKeys, type PsbtMap } from '../../src/core/psbt/psbt-map.ts';
import { locktimeOf, unsignedTxid } from '../../src/core/psbt/transaction-of.ts';
import { startTestNode, type TestNode } from '../builders/regtest-node.ts';
import { arbitraryDescriptor } from '../core/descriptors/arbitrary-descriptor.ts';
import { arbitraryPsbt, previousTransaction } from '../core/psbt/arbitrary-psbt.ts';

interface Origin {
  readonly pubkey: string;
  readonly master_fingerprint: string;
  readonly path: string;
  readonly leaf_hashes?: readonly string[];
}

interface DecodedMap {
  readonly partial_signatures?: Readonly<Record<string, string>>;
  readonly redeem_script?: { readonly hex: string } | undefined;
  readonly witness_script?: { readonly hex: string } | undefined;
  readonly witness_utxo?: { readonly scriptPubKey: { readonly hex: string } };
  readonly non_witness_utxo?: { readonly txid: string };
  readonly bip32_derivs?: readonly Origin[];
  readonly taproot_bip32_derivs?: readonly Origin[];
  readonly taproot_internal_key?: string;
  readonly taproot_merkle_root?: string;
  readonly taproot_scripts?: readonly { readonly script: string; readonly leaf_ver: number }[];
  readonly taproot_tree?: readonly { readonly depth: number; readonly leaf_ver: number; readonly script: string }[];
  readonly sha256_preimages?: Readonly<Record<string, string>>;
  readonly unknown?: Readonly<Record<string, string>>;
  readonly proprietary?: readonly { readonly identifier: string; readonly key: string; readonly value: string }[];
}

interface Decoded {
  readonly tx: {
    readonly txid: string;
    readonly version: number;
    readonly locktime: number;
    readonly vin: readonly { readonly txid: string; readonly vout: number; readonly sequence: number }[];
    readonly vout: readonly { readonly scriptPubKey: { readonly hex: string } }[];
  };
  readonly inputs: readonly DecodedMap[];
  readonly outputs: readonly DecodedMap[];
  readonly unknown: Readonly<Record<string, string>>;
}

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');
const HARDENED = 0x80000000;
const pathText = (path: readonly number[]): string =>
  ['m', ...path.map((step) => (step >= HARDENED ? `${step - HARDENED}h` : `${step}`))].join('/');
const sortedBy = <T>(list: readonly T[], key: (one: T) => string): T[] =>
  [...list].sort((a, b) => (key(a) < key(b) ? -1 : 1));

/** What the node tells of a map, from ours. */
function ourMap(map: PsbtMap, kind: 'input' | 'output'): Partial<DecodedMap> {
  const types = kind === 'input' ? INPUT : OUTPUT;
  const single = (type: number) => hex(map.get(type) ?? new Uint8Array(0));
  const script = (type: number) => (map.has(type) ? { hex: single(type) } : undefined);
  const origins = bip32Derivations(map, types.BIP32_DERIVATION).map(({ publicKey, fingerprint, path }) => ({
    pubkey: hex(publicKey),
    master_fingerprint: fingerprint,
    path: pathText(path),
  }));
  const tapOrigins = tapBip32Derivations(map, types.TAP_BIP32_DERIVATION).map(
    ({ xOnlyKey, fingerprint, path, leafHashes }) => ({
      pubkey: hex(xOnlyKey),
      master_fingerprint: fingerprint,
      path: pathText(path),
      leaf_hashes: leafHashes.map(hex).sort(),
    }),
  );
  const signatures = kind === 'input' ? partialSignatures(map) : [];
  return {
    bip32_derivs: origins,
    taproot_bip32_derivs: tapOrigins,
    redeem_script: script(types.REDEEM_SCRIPT),
    witness_script: script(types.WITNESS_SCRIPT),
    taproot_internal_key: single(types.TAP_INTERNAL_KEY),
    partial_signatures: Object.fromEntries(
      signatures.map(({ publicKey, signature }) => [hex(publicKey), hex(signature)]),
    ),
  };
}

const theirMap = (map: DecodedMap): Partial<DecodedMap> => ({
  bip32_derivs: map.bip32_derivs ?? [],
  taproot_bip32_derivs: (map.taproot_bip32_derivs ?? []).map((one) => ({
    ...one,
    leaf_hashes: [...(one.leaf_hashes ?? [])].sort(),
  })),
  redeem_script: map.redeem_script && { hex: map.redeem_script.hex },
  witness_script: map.witness_script && { hex: map.witness_script.hex },
  taproot_internal_key: map.taproot_internal_key ?? '',
  partial_signatures: map.partial_signatures ?? {},
});

const ordered = (map: Partial<DecodedMap>) => ({
  ...map,
  bip32_derivs: sortedBy(map.bip32_derivs ?? [], ({ pubkey }) => pubkey),
  taproot_bip32_derivs: sortedBy(map.taproot_bip32_derivs ?? [], ({ pubkey }) => pubkey),
});

describe('PSBTs against Bitcoin Core', () => {
  let node: TestNode;
  beforeAll(async () => {
    node = await startTestNode({ wallet: false });
  });
  afterAll(() => node?.stop());

  it('reads ours as we do', async () => {
    await fc.assert(
      fc.asyncProperty(arbitraryPsbt(), async (psbt) => {
        if (unsignedTxid(psbt) === null || maps(psbt).some(hasLargeType)) return;
        const decoded = await node.rpc<Decoded>('decodepsbt', psbtToBase64(toVersion0(psbt)));
        expect(decoded.tx.txid).toBe(unsignedTxid(psbt));
        expect(decoded.tx.locktime).toBe(locktimeOf(psbt));
        for (const [index, map] of psbt.inputs.entries())
          expect(ordered(theirMap(decoded.inputs[index] as DecodedMap))).toEqual(ordered(ourMap(map, 'input')));
        for (const [index, map] of psbt.outputs.entries())
          expect(ordered(theirMap(decoded.outputs[index] as DecodedMap))).toEqual(ordered(ourMap(map, 'output')));
        const decodedMaps = [decoded, ...decoded.inputs, ...decoded.outputs];
        for (const [index, map] of maps(psbt).entries())
          expect(Object.keys(decodedMaps[index]?.unknown ?? {}).sort()).toEqual(unknownKeys(map));
      }),
      { numRuns: 60 },
    );
  });

  it('writes ours again as it came, where fields are sorted by key as it sorts them', async () => {
    await fc.assert(
      fc.asyncProperty(arbitraryPsbt({ unknowns: false, signatures: false, fewest: 1 }), async (psbt) => {
        if (unsignedTxid(psbt) === null) return;
        const text = psbtToBase64(toVersion0(psbt));
        // One PSBT combined with itself: the node parses and serializes it.
        const again = psbtFromText(await node.rpc<string>('combinepsbt', [text, text]));
        expect(entriesOf(again as PsbtV0)).toEqual(entriesOf(toVersion0(psbt)));
      }),
      { numRuns: 40 },
    );
  });

  it('fills in of descriptors what we fill in', async () => {
    let compared = 0;
    await fc.assert(
      fc.asyncProperty(arbitraryDescriptor, fc.nat(30), async (text, index) => {
        const script = scriptOf(text, index);
        if (script === null) return;
        const base = createPsbt(draftOf(script));
        const descriptors = { network: 'regtest', descriptors: [text], range: [0, 30] } as const;
        const ours = updatePsbt(base, { descriptors });
        const theirs = await node
          .rpc<string>('utxoupdatepsbt', psbtToBase64(toVersion0(base)), [{ desc: text, range: [0, 30] }])
          .catch((error: Error) => {
            if (error instanceof RpcError) return null;
            throw error;
          });
        if (theirs === null) return;
        compared++;
        const mine = entriesOf(toVersion0(ours));
        const core = entriesOf(psbtFromText(theirs) as PsbtV0);
        expect({ text, outputs: mine.outputs }).toEqual({ text, outputs: core.outputs });
        // The node takes previous transactions away where every input is taproot.
        const withoutPrevious = (lines: readonly string[][]) =>
          lines.map((map) => map.filter((line) => !line.startsWith('0 ')));
        expect({ text, inputs: withoutPrevious(mine.inputs) }).toEqual({ text, inputs: withoutPrevious(core.inputs) });
      }),
      { numRuns: 120 },
    );
    expect(compared).toBeGreaterThan(20);
  });
});

const maps = ({ global, inputs, outputs }: PsbtV2): PsbtMap[] => [global, ...inputs, ...outputs];

/** The node reads no type above its greatest compact size, which BIP174 knows nothing of. */
const hasLargeType = (map: PsbtMap): boolean => map.entries.some(({ type }) => type > 0x02000000);

/** Keys of types that no BIP defines, in hex. */
const unknownKeys = (map: PsbtMap): string[] =>
  map.entries
    .filter(({ type }) => [0x40, 0x77, 0xf0, 0xfd, 0x1234].includes(type))
    .map(({ type, keyData }) => {
      const prefix = type < 0xfd ? Buffer.of(type) : Buffer.of(0xfd, type & 0xff, type >> 8);
      return hex(Buffer.concat([prefix, keyData]));
    })
    .sort();

const entriesOf = ({ inputs, outputs }: PsbtV0) => {
  const lines = (map: PsbtMap) =>
    [...map.pairs()]
      .sort(compareKeys)
      .map(({ type, keyData, value }) => `${type.toString(16)} ${hex(keyData)} ${hex(value)}`);
  return { inputs: inputs.map(lines), outputs: outputs.map((map) => [...lines(withoutTree(map)), ...leavesOf(map)]) };
};

/** The node turns siblings round where their hashes tell it to: the same tree. */
const leavesOf = (map: PsbtMap): string[] =>
  (tapTreeLeaves(map) ?? [])
    .map(({ depth, leafVersion, script }) => `leaf ${depth} ${leafVersion} ${hex(script)}`)
    .sort();

function withoutTree(map: PsbtMap): PsbtMap {
  const rest = map.clone();
  rest.remove(OUTPUT.TAP_TREE);
  return rest;
}

/** null for what stands for several scripts, and where we take no such descriptor. */
function scriptOf(text: string, index: number): Uint8Array | null {
  try {
    const [node, second] = openDescriptor(text, 'regtest');
    if (node === undefined || second !== undefined) return null;
    const [script, other] = scriptsAt(node, index);
    return script === undefined || other !== undefined ? null : script.scriptPubKey;
  } catch (error) {
    if (error instanceof DomainError) return null;
    throw error;
  }
}

function draftOf(script: Uint8Array): Parameters<typeof createPsbt>[0] {
  const amountSats = 100_000n;
  const previous = previousTransaction(script, amountSats, 1, Buffer.alloc(32, 9));
  return {
    inputs: [{ outpoint: { txid: previous.txid, vout: 1 }, nonWitnessUtxo: previous.raw }],
    outputs: [{ amountSats, script }],
  };
}

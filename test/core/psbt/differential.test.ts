/** What our creator makes is read as the same by @caravan/psbt and by @scure/btc-signer. */
import { PsbtV2 as CaravanPsbt } from '@caravan/psbt';
import { Transaction } from '@scure/btc-signer';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { FIELDS } from '../../../src/core/psbt/codec/fields.ts';
import {
  bip32Derivations,
  nonWitnessUtxo,
  partialSignatures,
  previousOutpoint,
  requiredHeightLocktime,
  requiredTimeLocktime,
  sequenceOf,
  sighashTypeOf,
  tapBip32Derivations,
  tapLeafScripts,
  witnessUtxo,
} from '../../../src/core/psbt/codec/input-fields.ts';
import { INPUT, OUTPUT } from '../../../src/core/psbt/codec/key-types.ts';
import { outputAmount, outputScript, tapTreeLeaves } from '../../../src/core/psbt/codec/output-fields.ts';
import { parsePsbt } from '../../../src/core/psbt/codec/parse-psbt.ts';
import { serializePsbt } from '../../../src/core/psbt/codec/serialize-psbt.ts';
import type { PsbtV2 } from '../../../src/core/psbt/psbt.ts';
import type { PsbtPlace } from '../../../src/core/psbt/psbt-error.ts';
import type { PsbtMap } from '../../../src/core/psbt/psbt-map.ts';
import { requireV2 } from '../../../src/core/psbt/require-v2.ts';
import { locktimeOf, transactionVersion } from '../../../src/core/psbt/transaction-of.ts';
import { arbitraryPsbt } from './arbitrary-psbt.ts';

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');
const byKey = (pairs: readonly (readonly [string, ...unknown[]])[]) =>
  [...pairs].sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
const parsed = (psbt: PsbtV2): PsbtV2 => requireV2(parsePsbt(serializePsbt(psbt)));

/** Fields that @caravan/psbt has a reader for, as it tells them: numbers, amounts, hex, or lists of keys and values. */
function asCaravan(kind: PsbtPlace['map'], map: PsbtMap, name: string): unknown {
  const field = FIELDS[kind].find((one) => one?.name === name) as NonNullable<(typeof FIELDS)['input'][number]>;
  const entries = map.all(field.type);
  if (field.keyData !== null) {
    const type = field.type.toString(16).padStart(2, '0');
    return byKey(entries.map(({ keyData, value }) => [`${type}${hex(keyData)}`, hex(value)] as const));
  }
  const value = entries[0]?.value;
  if (value === undefined) return null;
  if (name === 'PSBT_OUT_AMOUNT') return Buffer.from(value).readBigInt64LE();
  const numbers = /SEQUENCE|LOCKTIME|OUTPUT_INDEX|SIGHASH_TYPE|VERSION$/;
  return numbers.test(name) ? Buffer.from(value).readUInt32LE() : hex(value);
}

/** It tells an empty value of a list as null. */
const caravanList = (value: unknown): unknown =>
  Array.isArray(value)
    ? byKey(
        (value as { key: string; value: string | null }[]).map(({ key, value: bytes }) => [key, bytes ?? ''] as const),
      )
    : value;

/** Of its readers, those of input and output fields answer one thing for each map. */
const READ_BY_CARAVAN = Object.getOwnPropertyNames(CaravanPsbt.prototype).filter((name) =>
  /^PSBT_(IN|OUT)_/.test(name),
);

describe('random PSBTs', () => {
  it('are read field by field as @caravan/psbt reads them', () => {
    expect(READ_BY_CARAVAN.length).toBeGreaterThan(30);
    fc.assert(
      fc.property(arbitraryPsbt(), (made) => {
        const bytes = serializePsbt(made);
        const ours = parsed(made);
        const theirs = new CaravanPsbt(bytes) as unknown as Record<string, unknown[]>;
        for (const name of READ_BY_CARAVAN) {
          const kind = name.startsWith('PSBT_IN') ? 'input' : 'output';
          const maps = kind === 'input' ? ours.inputs : ours.outputs;
          const list = maps.map((map) => asCaravan(kind, map, name));
          expect(theirs[name]?.map(caravanList), name).toEqual(list);
        }
        expect(theirs.PSBT_GLOBAL_TX_VERSION).toBe(transactionVersion(ours));
        expect(theirs.PSBT_GLOBAL_INPUT_COUNT).toBe(ours.inputs.length);
        // It counts inputs of either kind, and so finds no locktime where all that require any can have a height and a time.
        const both = ours.inputs.some(
          (map) => requiredHeightLocktime(map) !== null && requiredTimeLocktime(map) !== null,
        );
        if (!both) expect((theirs as unknown as CaravanPsbt).nLockTime).toBe(locktimeOf(ours));
      }),
      { numRuns: 150 },
    );
  });

  it('are read as @scure/btc-signer reads them', () => {
    const options = { allowUnknownInputs: true, allowUnknownOutputs: true, allowLegacyWitnessUtxo: true };
    fc.assert(
      fc.property(arbitraryPsbt({ unknowns: false }), (made) => {
        const theirs = Transaction.fromPSBT(serializePsbt(made), options);
        const ours = parsed(made);
        expect([theirs.version, theirs.lockTime]).toEqual([transactionVersion(ours), locktimeOf(ours)]);
        expect([theirs.inputsLength, theirs.outputsLength]).toEqual([ours.inputs.length, ours.outputs.length]);
        for (const [index, map] of ours.inputs.entries()) compareInput(map, theirs.getInput(index));
        for (const [index, map] of ours.outputs.entries()) compareOutput(map, theirs.getOutput(index));
      }),
      { numRuns: 150 },
    );
  });
});

function compareInput(map: PsbtMap, theirs: ReturnType<Transaction['getInput']>): void {
  const { txid, vout } = previousOutpoint(map);
  expect([hex(theirs.txid as Uint8Array), theirs.index]).toEqual([txid, vout]);
  expect(theirs.sequence ?? 0xffffffff).toBe(sequenceOf(map));
  expect(theirs.sighashType ?? null).toBe(sighashTypeOf(map));
  expect(theirs.requiredHeightLocktime ?? null).toBe(requiredHeightLocktime(map));
  expect(theirs.requiredTimeLocktime ?? null).toBe(requiredTimeLocktime(map));
  const utxo = theirs.witnessUtxo;
  expect(utxo ? { amountSats: utxo.amount, scriptPubKey: hex(utxo.script) } : null).toEqual(witnessUtxo(map));
  const previous = theirs.nonWitnessUtxo?.outputs.map(({ amount, script }) => [amount, hex(script)]);
  expect(previous).toEqual(
    nonWitnessUtxo(map)?.outputs.map(({ amountSats, scriptPubKey }) => [amountSats, scriptPubKey]),
  );
  expect(theirs.redeemScript && hex(theirs.redeemScript)).toEqual(hexAt(map, INPUT.REDEEM_SCRIPT));
  expect(theirs.witnessScript && hex(theirs.witnessScript)).toEqual(hexAt(map, INPUT.WITNESS_SCRIPT));
  expect(theirs.tapInternalKey && hex(theirs.tapInternalKey)).toEqual(hexAt(map, INPUT.TAP_INTERNAL_KEY));
  expect(theirs.tapMerkleRoot && hex(theirs.tapMerkleRoot)).toEqual(hexAt(map, INPUT.TAP_MERKLE_ROOT));
  expect(byKey((theirs.partialSig ?? []).map(([key, signature]) => [hex(key), hex(signature)] as const))).toEqual(
    byKey(partialSignatures(map).map(({ publicKey, signature }) => [hex(publicKey), hex(signature)] as const)),
  );
  expect(derivations(theirs.bip32Derivation)).toEqual(ourDerivations(map, INPUT.BIP32_DERIVATION));
  expect(tapDerivations(theirs.tapBip32Derivation)).toEqual(ourTapDerivations(map, INPUT.TAP_BIP32_DERIVATION));
  const leaves = (theirs.tapLeafScript ?? []).map(([{ version, internalKey, merklePath }, script]) => [
    hex(Buffer.concat([Buffer.of(version), internalKey, ...merklePath])),
    hex(script),
  ]);
  expect(byKey(leaves as [string, string][])).toEqual(
    byKey(
      tapLeafScripts(map).map(
        ({ controlBlock, script, leafVersion }) =>
          [hex(controlBlock), hex(Buffer.concat([script, Buffer.of(leafVersion)]))] as const,
      ),
    ),
  );
}

function compareOutput(map: PsbtMap, theirs: ReturnType<Transaction['getOutput']>): void {
  expect([theirs.amount, hex(theirs.script as Uint8Array)]).toEqual([outputAmount(map), hex(outputScript(map))]);
  expect(theirs.redeemScript && hex(theirs.redeemScript)).toEqual(hexAt(map, OUTPUT.REDEEM_SCRIPT));
  expect(theirs.tapInternalKey && hex(theirs.tapInternalKey)).toEqual(hexAt(map, OUTPUT.TAP_INTERNAL_KEY));
  expect(derivations(theirs.bip32Derivation)).toEqual(ourDerivations(map, OUTPUT.BIP32_DERIVATION));
  expect(tapDerivations(theirs.tapBip32Derivation)).toEqual(ourTapDerivations(map, OUTPUT.TAP_BIP32_DERIVATION));
  const tree = theirs.tapTree?.map(({ depth, version, script }) => [depth, version, hex(script)]);
  expect(tree).toEqual(tapTreeLeaves(map)?.map(({ depth, leafVersion, script }) => [depth, leafVersion, hex(script)]));
}

const hexAt = (map: PsbtMap, type: number): string | undefined => {
  const value = map.get(type);
  return value === null ? undefined : hex(value);
};

type TheirOrigin = { fingerprint: number; path: readonly number[] };
const originOf = ({ fingerprint, path }: TheirOrigin) => ({
  fingerprint: fingerprint.toString(16).padStart(8, '0'),
  path,
});

const derivations = (theirs: readonly (readonly [Uint8Array, TheirOrigin])[] = []) =>
  byKey(theirs.map(([key, origin]) => [hex(key), originOf(origin)] as const));
const ourDerivations = (map: PsbtMap, type: number) =>
  byKey(bip32Derivations(map, type).map(({ publicKey, ...origin }) => [hex(publicKey), origin] as const));

type TheirTapOrigin = { hashes: readonly Uint8Array[]; der: TheirOrigin };
const tapDerivations = (theirs: readonly (readonly [Uint8Array, TheirTapOrigin])[] = []) =>
  byKey(theirs.map(([key, { hashes, der }]) => [hex(key), hashes.map(hex), originOf(der)] as const));
const ourTapDerivations = (map: PsbtMap, type: number) =>
  byKey(
    tapBip32Derivations(map, type).map(
      ({ xOnlyKey, leafHashes, ...origin }) => [hex(xOnlyKey), leafHashes.map(hex), origin] as const,
    ),
  );

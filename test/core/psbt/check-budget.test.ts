/** Nobody's PSBT keeps the process busy: what would take seconds is left, and said to be. */
import { describe, expect, it } from 'vitest';
import { ecc } from '../../../src/core/keys/ecc.ts';
import { serializeWitness } from '../../../src/core/messages/virtual-transactions.ts';
import { txid } from '../../../src/core/outpoint.ts';
import { INPUT } from '../../../src/core/psbt/codec/key-types.ts';
import { createPsbt } from '../../../src/core/psbt/construction/create-psbt.ts';
import { finalizePsbt } from '../../../src/core/psbt/finalizing/finalize-psbt.ts';
import { createCheckBudget } from '../../../src/core/psbt/inspection/check-budget.ts';
import { finalChecks } from '../../../src/core/psbt/inspection/final-checks.ts';
import { inspectPsbt } from '../../../src/core/psbt/inspection/inspect-psbt.ts';
import { tapLeafHash } from '../../../src/core/taproot/leaf-hash.ts';
import { type TapTree, tapLeaf } from '../../../src/core/taproot/script-tree.ts';
import { taprootOutput } from '../../../src/core/taproot/taproot-output.ts';
import { tweakPublicKey } from '../../../src/core/taproot/tweak.ts';
import { noteSecret } from '../../secrets/collected.ts';
import { signWith } from './funded.ts';
import { SCHNORR } from './made-fields.ts';
import { A } from './spend-cases.ts';

const NOBODY = '50929b74c1a04954b78b4b6035e97a5e078a5a0f28ec96d547bfee9ace803ac0';
const NO_KEY_DATA = new Uint8Array(0);
const KEY = A.point.subarray(1);
const outputs = [{ amountSats: 50_000n, script: Buffer.from(`0014${'11'.repeat(20)}`, 'hex') }];

function xOnlyKeys(count: number): Uint8Array[] {
  const one = Buffer.alloc(32);
  one[31] = 1;
  let point: Uint8Array = A.point;
  return Array.from({ length: count }, () => {
    point = ecc.pointAddScalar(point, one, true) as Uint8Array;
    return point.subarray(1);
  });
}

/** Spends by a tapscript of so many OP_NOPs and a 1. */
function spendOfLength(length: number, vout: number) {
  const script = Buffer.alloc(length, 0x61);
  script[length - 1] = 0x51;
  const { outputKey, parity } = tweakPublicKey(KEY, tapLeafHash(script));
  const witness = serializeWitness([script, Buffer.concat([Buffer.of(0xc0 | parity), KEY])]);
  return {
    outpoint: { txid: txid('ab'.repeat(32)), vout },
    witnessUtxo: { amountSats: 100_000n, script: Buffer.concat([Buffer.of(0x51, 32), outputKey]) },
    fields: [{ type: INPUT.FINAL_SCRIPTWITNESS, keyData: NO_KEY_DATA, value: witness }],
  };
}

const verdicts = (...lengths: number[]): string[] => {
  const { facts } = inspectPsbt(createPsbt({ inputs: lengths.map(spendOfLength), outputs }), { network: 'regtest' });
  return finalChecks(facts, createCheckBudget(1_000)).map(({ verdict }) => verdict);
};

noteSecret('key', A.hex);

describe('what is run', () => {
  it('has a length in all, so that no tapscript of megabytes holds the process', () => {
    expect(verdicts(150_000, 100_000)).toEqual(['passed', 'passed']);
    expect(verdicts(150_000, 150_000, 100)).toEqual(['passed', 'unknown', 'passed']);
    expect(verdicts(3_000_000)).toEqual(['unknown']);
  });
});

describe('signatures', () => {
  it('of taproot are fewer, since each takes longer', () => {
    const { outputKey } = tweakPublicKey(KEY, null);
    const leaf = Buffer.alloc(32, 1);
    const fields = xOnlyKeys(2_600).map((key) => ({
      type: INPUT.TAP_SCRIPT_SIG,
      keyData: Buffer.concat([key, leaf]),
      value: SCHNORR,
    }));
    const script = Buffer.concat([Buffer.of(0x51, 32), outputKey]);
    const spent = { outpoint: { txid: txid('ab'.repeat(32)), vout: 0 }, witnessUtxo: { amountSats: 100_000n, script } };
    const { view } = inspectPsbt(createPsbt({ inputs: [{ ...spent, fields }], outputs }), { network: 'regtest' });
    const valid = view.inputs[0]?.signatures.map((signature) => signature.valid);
    expect(valid?.filter((one) => one === false).length).toBe(2_500);
    expect(valid?.filter((one) => one === null).length).toBe(100);
    expect(view.warnings.join()).toMatch(/some signatures were not checked/);
  });
});

describe('signing', () => {
  const halves = (leaves: readonly TapTree[]): TapTree => {
    if (leaves.length === 1) return leaves[0] as TapTree;
    const middle = leaves.length >> 1;
    return [halves(leaves.slice(0, middle)), halves(leaves.slice(middle))];
  };
  /** Every leaf has the key, each with a lock of its own. */
  const signedLeaves = (count: number): number => {
    const leaves = Array.from({ length: count }, (_, at) =>
      tapLeaf(Buffer.concat([Buffer.of(0x20), KEY, Buffer.of(0xad, 2, at & 0xff, 0x40 | (at >> 8), 0xb2)])),
    );
    const output = taprootOutput(Buffer.from(NOBODY, 'hex'), halves(leaves));
    const psbt = createPsbt({
      inputs: [
        {
          outpoint: { txid: txid('ab'.repeat(32)), vout: 0 },
          witnessUtxo: { amountSats: 100_000n, script: output.scriptPubKey },
          tapLeafScripts: output.leaves,
        },
      ],
      outputs,
    });
    return signWith(psbt, A).inputs[0]?.all(INPUT.TAP_SCRIPT_SIG).length ?? 0;
  };

  it('is refused where one key is asked for thousands of taproot signatures', () => {
    expect(signedLeaves(3)).toBe(3);
    expect(() => signedLeaves(2_501)).toThrow(expect.objectContaining({ code: 'too_large' }));
  });
});

describe('finalizing', () => {
  /** Of one leaf with these keys, and with a signature of each that holds for nothing. */
  const finalized = (keys: readonly Uint8Array[], signers: readonly Uint8Array[]): string | undefined => {
    const leaf = tapLeaf(Buffer.concat(keys.flatMap((key) => [Buffer.of(0x20), key, Buffer.of(0x75)])));
    const output = taprootOutput(Buffer.from(NOBODY, 'hex'), leaf);
    const { leafHash } = output.leaves[0] as (typeof output.leaves)[number];
    const psbt = createPsbt({
      inputs: [
        {
          outpoint: { txid: txid('ab'.repeat(32)), vout: 0 },
          witnessUtxo: { amountSats: 100_000n, script: output.scriptPubKey },
          tapLeafScripts: output.leaves,
          fields: signers.map((key) => ({
            type: INPUT.TAP_SCRIPT_SIG,
            keyData: Buffer.concat([key, leafHash]),
            value: SCHNORR,
          })),
        },
      ],
      outputs,
    });
    return finalizePsbt(psbt).missing[0]?.reason;
  };

  it('checks signatures of the keys that stand in the leaf, and is refused where those are too many', () => {
    const keys = xOnlyKeys(5_002);
    expect(() => finalized(keys, keys)).toThrow(expect.objectContaining({ code: 'too_large' }));
    expect(finalized(keys.slice(0, 2), keys)).toContain(`signature by ${Buffer.from(keys[0]!).toString('hex')}`);
    expect(finalized([KEY], keys)).not.toContain('signature by');
  });
});

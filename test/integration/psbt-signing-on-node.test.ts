/** What is signed here is what a real node takes: every script type under every sighash type, several signers, a batch of a thousand. */
import { BIP32Factory } from 'bip32';
import { networks } from 'bitcoinjs-lib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parseTransaction } from '../../src/core/blocks/transaction.ts';
import { hash160 } from '../../src/core/hashes.ts';
import { ecc } from '../../src/core/keys/ecc.ts';
import { txid as asTxid } from '../../src/core/outpoint.ts';
import { createPsbt } from '../../src/core/psbt/construction/create-psbt.ts';
import type { PsbtOutputDraft } from '../../src/core/psbt/construction/psbt-draft.ts';
import { extractTransaction } from '../../src/core/psbt/finalizing/extract-transaction.ts';
import { finalizePsbt } from '../../src/core/psbt/finalizing/finalize-psbt.ts';
import type { PsbtV2 } from '../../src/core/psbt/psbt.ts';
import { signPsbt } from '../../src/core/psbt/signing/sign-psbt.ts';
import { signerFromKeyText } from '../../src/core/psbt/signing/signers.ts';
import { SIGHASH_NAMES } from '../../src/core/scripts/sighash-type.ts';
import { startTestNode, type TestNode } from '../builders/regtest-node.ts';
import { p2wpkh } from '../builders/script-forms.ts';
import { CASE_SATS, signWith, spendingPsbt, tools } from '../core/psbt/funded.ts';
import { A, SPEND_CASES, type SpendCase, testKey } from '../core/psbt/spend-cases.ts';
import { noteSecret } from '../secrets/collected.ts';

const MINER = testKey('miner');
const BATCH = 1000;
const BATCH_SATS = 10_000n;
const root = BIP32Factory(ecc).fromSeed(Buffer.alloc(32, 5), networks.regtest);
const account = root.derivePath("m/84'/1'/0'");
const batchKey = (index: number) => Buffer.from(account.derive(0).derive(index).publicKey);
const keyScript = (point: Uint8Array) => Buffer.concat([Buffer.of(0x00, 0x14), hash160(point)]);
const target = keyScript(A.point);

let node: TestNode;
/** Of the cases: one output for each type, in the order of `combinations`. */
let funding: Buffer;
let batchFunding: string;

const TYPES = [undefined, 0x01, 0x02, 0x03, 0x81, 0x82, 0x83] as const;
/** Nodes that enforce the reduced-data rules take no longer output scripts: P2PK and bare multisig are run by the interpreter alone. */
const MAX_OUTPUT_SCRIPT_LENGTH = 34;
const cases = SPEND_CASES.filter(({ script }) => script.length <= MAX_OUTPUT_SCRIPT_LENGTH);
const combinations = cases.flatMap((one) => TYPES.map((sighashType) => ({ case: one, sighashType })));

/** Spends a coinbase of the miner's into the outputs; answers the raw transaction once it is in a block. */
async function fund(outputs: readonly PsbtOutputDraft[], blockHash: string): Promise<Buffer> {
  const block = await node.rpc<{ tx: { txid: string }[] }>('getblock', blockHash, 2);
  const total = outputs.reduce((sum, { amountSats }) => sum + amountSats, 0n);
  const psbt = createPsbt({
    inputs: [
      {
        outpoint: { txid: asTxid(block.tx[0]!.txid), vout: 0 },
        witnessUtxo: { amountSats: 5_000_000_000n, script: keyScript(MINER.point) },
      },
    ],
    outputs: [...outputs, { amountSats: 5_000_000_000n - total - 100_000n, script: keyScript(MINER.point) }],
  });
  const { raw } = extractTransaction(finalizePsbt(signWith(psbt, MINER)).psbt);
  await node.rpc('sendrawtransaction', raw.toString('hex'));
  return raw;
}

beforeAll(async () => {
  noteSecret('psbt_key', root.toBase58());
  node = await startTestNode({ wallet: false });
  const [first, second] = await node.mine(2, p2wpkh(MINER.point, 'regtest').address);
  await node.mine(100);
  funding = await fund(
    combinations.map(({ case: { script } }) => ({ amountSats: CASE_SATS, script })),
    first!,
  );
  const batch = Array.from({ length: BATCH }, (_, index) => ({
    amountSats: BATCH_SATS,
    script: keyScript(batchKey(index)),
  }));
  batchFunding = parseTransaction(await fund(batch, second!)).txid;
  await node.mine(10);
});

afterAll(() => node?.stop());

const distinctSigners = (spends: readonly SpendCase[]) => [...new Set(spends.flatMap(({ signers }) => signers))];

async function isAccepted(psbt: PsbtV2): Promise<void> {
  const { missing, psbt: finalized } = finalizePsbt(psbt);
  expect(missing).toEqual([]);
  const { raw, txid } = extractTransaction(finalized);
  const [verdict] = await node.rpc<{ allowed: boolean; txid: string }[]>('testmempoolaccept', [raw.toString('hex')]);
  expect(verdict).toMatchObject({ allowed: true, txid });
}

describe("a node's mempool takes", () => {
  it.each(cases.map((one) => ({ name: one.name, one })))('a $name spend, of every sighash type', async ({ one }) => {
    for (const [vout, combination] of combinations.entries()) {
      if (combination.case !== one) continue;
      const outputs = [{ amountSats: CASE_SATS - 2000n, script: target }];
      let psbt = spendingPsbt(funding, [{ ...combination, vout }], outputs);
      for (const key of distinctSigners([one])) psbt = signWith(psbt, key, { allowSighash: SIGHASH_NAMES });
      await isAccepted(psbt);
    }
  });

  it('inputs of every type together, whoever signs first', async () => {
    const spends = cases
      .filter(({ lock }) => lock.requiredHeightLocktime === undefined)
      .map((one) => ({
        case: one,
        vout: combinations.findIndex((combination) => combination.case === one),
      }));
    const spent = spends.map((one) => one.case);
    const unsigned = spendingPsbt(funding, spends, [
      { amountSats: CASE_SATS * BigInt(spends.length) - 20_000n, script: target },
    ]);
    for (const keys of [distinctSigners(spent), distinctSigners(spent).reverse()]) {
      let psbt = unsigned;
      for (const key of keys) psbt = signWith(psbt, key);
      await isAccepted(psbt);
    }
  });

  it(`a batch of ${BATCH} inputs, signed by the account key it was derived from`, async () => {
    const fingerprint = Buffer.from(root.fingerprint).toString('hex');
    const hardened = (step: number) => 0x80000000 + step;
    const psbt = createPsbt({
      inputs: Array.from({ length: BATCH }, (_, index) => ({
        outpoint: { txid: asTxid(batchFunding), vout: index },
        witnessUtxo: { amountSats: BATCH_SATS, script: keyScript(batchKey(index)) },
        bip32Derivations: [
          { publicKey: batchKey(index), fingerprint, path: [hardened(84), hardened(1), hardened(0), 0, index] },
        ],
      })),
      outputs: [{ amountSats: BATCH_SATS * BigInt(BATCH) - 1_000_000n, script: target }],
    });
    for (const text of [root.toBase58(), account.toBase58(), `[${fingerprint}/84h/1h/0h]${account.toBase58()}`]) {
      noteSecret('psbt_key', text);
      const signer = signerFromKeyText(text, 'regtest');
      const { psbt: signed, signedInputs } = signPsbt(psbt, signer, tools);
      signer.dispose();
      expect(signedInputs).toHaveLength(BATCH);
      await isAccepted(signed);
    }
  });
});

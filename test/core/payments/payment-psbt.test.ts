/** What signers are told of a payment: the same as the updater finds in the wallet's descriptors by itself, and what the timelocks ask. */
import { describe, expect, it } from 'vitest';
import { parseTransaction } from '../../../src/core/blocks/transaction.ts';
import type { Txid } from '../../../src/core/outpoint.ts';
import type { PlannedInput } from '../../../src/core/payments/payment-plan.ts';
import { paymentPsbt } from '../../../src/core/payments/payment-psbt.ts';
import { INPUT, OUTPUT } from '../../../src/core/psbt/codec/key-types.ts';
import { parsePsbt } from '../../../src/core/psbt/codec/parse-psbt.ts';
import { serializePsbt } from '../../../src/core/psbt/codec/serialize-psbt.ts';
import { updatePsbt } from '../../../src/core/psbt/construction/update-psbt.ts';
import { PsbtMap } from '../../../src/core/psbt/psbt-map.ts';
import { unsignedTxid } from '../../../src/core/psbt/transaction-of.ts';
import { buildTransaction, txidOf } from '../../../src/core/transactions/build-transaction.ts';
import { accountXpubs } from '../../../src/core/wallets/account-xpubs.ts';
import { parseDescriptor } from '../../../src/core/wallets/descriptors.ts';
import { openSpending } from '../../../src/core/wallets/spending-data.ts';
import { walletModel } from '../../../src/core/wallets/wallet-model.ts';
import { cosigner } from '../../builders/cosigner.ts';

const [alice, bob] = [cosigner('alice'), cosigner('bob')];
const NOBODY = '50929b74c1a04954b78b4b6035e97a5e078a5a0f28ec96d547bfee9ace803ac0';
const parse = (inner: string) =>
  parseDescriptor(
    inner.replaceAll(/\b[AB]\b/g, (name) => `${(name === 'A' ? alice : bob).multisigKey}/<0;1>/*`),
    'regtest',
  );

function paymentFrom(inner: string) {
  const parsed = parse(inner);
  const model = walletModel(parsed, 'regtest');
  const coinScript = model.scriptAt(false, 3).scriptPubKey;
  const changeScript = model.scriptAt(true, 5).scriptPubKey;
  const previous = buildTransaction({
    ...{ version: 2, locktime: 0, inputs: [{ txid: 'ab'.repeat(32) as Txid, vout: 1, sequence: 0 }] },
    outputs: [
      { scriptPubKey: `0014${'00'.repeat(20)}`, amountSats: 5n },
      { scriptPubKey: coinScript, amountSats: 70_000n },
    ],
  });
  const raw = Buffer.from(previous.toBuffer());
  const coin: PlannedInput = {
    ...{ txid: parseTransaction(raw).txid, vout: 1, amountSats: 70_000n, scriptPubKey: coinScript },
    ...{ scriptType: model.scriptType, change: false, index: 3, sequence: 0xfffffffd },
  };
  const plan = { version: 2 as const, locktime: 101 };
  const outputs = [
    { scriptPubKey: changeScript, amountSats: 40_000n, recipient: null },
    { scriptPubKey: `0014${'11'.repeat(20)}`, amountSats: 20_000n, recipient: 0 },
  ];
  const request = (given: Uint8Array | null) => ({
    plan,
    inputs: [{ coin, spending: openSpending(parsed.external, 'regtest')(3), previous: given }],
    outputs: [
      { output: outputs[0]!, spending: openSpending(parsed.internal!, 'regtest')(5) },
      { output: outputs[1]!, spending: null },
    ],
    xpubs: accountXpubs(parsed.external, 'regtest'),
  });
  return { parsed, raw, request, unsigned: txidOf(buildTransaction({ ...plan, inputs: [coin], outputs })) };
}

const FORMS = [
  'pkh(A)',
  'wpkh(A)',
  'sh(wpkh(A))',
  'tr(A)',
  'wsh(sortedmulti(2,A,B))',
  'sh(wsh(multi(1,A,B)))',
  'sh(sortedmulti(1,A,B))',
  'wsh(or_d(pk(A),and_v(v:pkh(B),older(10))))',
  `tr(${NOBODY},{pk(A),multi_a(2,A,B)})`,
];

describe('the PSBT of a payment', () => {
  it.each(FORMS)('from %s says what the updater finds in the descriptors', (inner) => {
    const { parsed, raw, request, unsigned } = paymentFrom(inner);
    const psbt = paymentPsbt(request(raw));
    expect(unsignedTxid(psbt)).toBe(unsigned);
    expect(parsePsbt(serializePsbt(psbt)).version).toBe(2);

    const bare = (map: PsbtMap, types: readonly number[]) =>
      new PsbtMap(map.entries.filter(({ type }) => types.includes(type)));
    const utxo = [INPUT.NON_WITNESS_UTXO, INPUT.WITNESS_UTXO, INPUT.PREVIOUS_TXID, INPUT.OUTPUT_INDEX, INPUT.SEQUENCE];
    const stripped = {
      ...psbt,
      inputs: psbt.inputs.map((map) => bare(map, utxo)),
      outputs: psbt.outputs.map((map) => bare(map, [OUTPUT.AMOUNT, OUTPUT.SCRIPT])),
    };
    const filled = updatePsbt(stripped, {
      descriptors: { descriptors: [parsed.external, parsed.internal!], network: 'regtest', range: [0, 10] },
    });
    const hex = (maps: readonly PsbtMap[]) =>
      maps.map((map) =>
        map.entries
          .map(
            ({ type, keyData, value }) =>
              `${type} ${Buffer.from(keyData).toString('hex')} ${Buffer.from(value).toString('hex')}`,
          )
          .sort(),
      );
    expect(hex(psbt.inputs)).toEqual(hex(filled.inputs));
    expect(hex(psbt.outputs)).toEqual(hex(filled.outputs));
  });

  it.each(FORMS)('from %s without the previous transaction: a witness UTXO alone, or a refusal', (inner) => {
    const { request } = paymentFrom(inner);
    if (/^pkh|^sh\(sorted/.test(inner)) {
      expect(() => paymentPsbt(request(null))).toThrow(expect.objectContaining({ code: 'signing_unavailable' }));
    } else {
      const [input] = paymentPsbt(request(null)).inputs;
      expect([input!.has(INPUT.WITNESS_UTXO), input!.has(INPUT.NON_WITNESS_UTXO)]).toEqual([true, false]);
    }
  });
});

describe('what every spend waits for', () => {
  const timelocksOf = (inner: string) => walletModel(parse(inner), 'regtest').timelocks();

  it.each([
    ['wsh(sortedmulti(2,A,B))', 0, 0],
    ['wsh(or_d(pk(A),and_v(v:pkh(B),older(10))))', 0, 0],
    ['wsh(and_v(v:pk(A),older(10)))', 10, 0],
    ['wsh(and_v(v:pk(A),after(700)))', 0, 700],
    ['wsh(andor(pk(A),older(10),and_v(v:pk(B),after(700))))', 10, 0],
    [`tr(${NOBODY},{and_v(v:pk(A),older(5)),and_v(v:pk(B),older(3))})`, 3, 0],
    [`tr(A,and_v(v:pk(B),older(3)))`, 0, 0],
    // A time can be waited around; both of a path are waited for; of two heights the lower one is taken, of as many blocks as that takes.
    ['wsh(or_i(and_v(v:pk(A),older(4194305)),and_v(v:pk(B),older(7))))', 7, 0],
    ['wsh(and_v(v:pk(A),and_v(v:older(20),after(700))))', 20, 700],
    ['wsh(or_i(and_v(v:pk(A),after(700)),and_v(v:pk(B),and_v(v:older(9),after(600)))))', 9, 600],
    ['wsh(thresh(2,pk(A),s:pk(B),sln:older(30)))', 0, 0],
    ['wsh(thresh(3,pk(A),s:pk(B),sln:older(30)))', 30, 0],
  ])('%s: %i blocks, height %i', (inner, olderBlocks, afterHeight) => {
    expect(timelocksOf(inner)).toEqual({ olderBlocks, afterHeight });
  });

  it.each(['older(4194305)', 'after(1600000000)'])('of %s is a time: refused', (lock) => {
    expect(() => timelocksOf(`wsh(and_v(v:pk(A),${lock}))`)).toThrow(
      expect.objectContaining({ code: 'signing_unavailable' }),
    );
  });
});

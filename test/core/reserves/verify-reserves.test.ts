import { createHash } from 'node:crypto';
import { script as bitcoinScript, networks, payments, Transaction } from 'bitcoinjs-lib';
import { beforeAll, describe, expect, it } from 'vitest';
import { hex } from '../../../src/core/bytes.ts';
import { ecc } from '../../../src/core/keys/ecc.ts';
import { serializeWitness, toSpend, UNSPENDABLE_SCRIPT } from '../../../src/core/messages/virtual-transactions.ts';
import { txid } from '../../../src/core/outpoint.ts';
import { serializePsbt } from '../../../src/core/psbt/codec/serialize-psbt.ts';
import { createPsbt } from '../../../src/core/psbt/construction/create-psbt.ts';
import { coinsPerProof, type FundsCoin } from '../../../src/core/reserves/prove-funds.ts';
import { type ReservesReport, reservesMessage } from '../../../src/core/reserves/reserves-files.ts';
import { verifyInclusion, verifyReserves } from '../../../src/core/reserves/verify-reserves.ts';
import { fundsWallet, liabilityTree, minedHeaders, reservesOf } from '../../builders/reserves.ts';

const customers = ['alice', 'bob', 'carol', 'dave', 'eve'].map((customerId, at) => ({
  customerId,
  balanceSats: BigInt(at * 1_000 + 1),
}));
const tree = liabilityTree(customers);
const { headers, hash } = minedHeaders(14);
const statement = {
  account_id: 'acc_1',
  network: 'regtest' as const,
  block: { height: 200, hash },
  time: '2026-11-28T03:00:00.000Z',
  liabilities: tree.said,
};
const wallet = fundsWallet('segwit');
const coin = (number: number, from = wallet): FundsCoin => ({
  txid: txid(createHash('sha256').update(`${number}`).digest('hex')),
  ...{ vout: number, amountSats: 10_000n + BigInt(number), scriptPubKey: from.at(number).scriptPubKey },
  ...{ change: false, index: number, previous: null },
});

let report: ReservesReport;
beforeAll(() => {
  report = reservesOf(statement, headers, wallet, [[coin(1), coin(2)], [coin(3)]]);
});
const changed = (change: (file: ReservesReport) => void): ReservesReport => {
  const copy = structuredClone(report);
  change(copy);
  return copy;
};

describe('a report of reserves', () => {
  it('holds: every coin once, and the sums', () => {
    const { claims, reservesSats, liabilitiesSats, work } = verifyReserves(JSON.parse(JSON.stringify(report)));
    expect(claims.map(({ outpoint }) => outpoint.vout)).toEqual([1, 2, 3]);
    expect([reservesSats, liabilitiesSats, work]).toEqual([30_006n, 10_005n, 28n]);
  });

  it.each(['taproot', 'nested-segwit'] as const)('is made of a %s wallet, too', (type) => {
    const other = fundsWallet(type);
    const made = reservesOf(statement, headers, other, [[coin(1, other), coin(5, other)]]);
    expect(verifyReserves(made).reservesSats).toBe(20_006n);
  });

  it('each proof fits what verifies it', () => {
    for (const type of ['segwit', 'taproot', 'legacy'] as const)
      expect(coinsPerProof(fundsWallet(type).descriptor, 'regtest')).toBe(type === 'legacy' ? 167 : 200);
    const coins = Array.from({ length: 200 }, (_, at) => coin(at + 1));
    expect(verifyReserves(reservesOf(statement, headers, wallet, [coins])).claims).toHaveLength(200);
  });

  const foreign = () => {
    const other = fundsWallet('segwit', 8);
    return reservesOf(statement, headers, { ...other, at: wallet.at }, [[coin(1, other)]]);
  };
  it.each<[string, () => unknown, string | null, RegExp]>([
    ['a foreign signature', foreign, 'proofs[0]', /signature is invalid/],
    ['a part that is left out', () => changed((file) => file.proofs.pop()), 'proofs[0]', /another message/],
    ['parts in another order', () => changed((file) => file.proofs.reverse()), 'proofs[0]', /another message/],
    [
      'another total',
      () => changed((file) => (file.reserves.total = '0.00040006')),
      'reserves',
      /claim 3 of 0.00030006/,
    ],
    [
      'another amount of a part',
      () => changed((file) => (file.proofs[1]!.amount = '0.00010004')),
      'proofs[1]',
      /claim 1/,
    ],
    [
      'smaller liabilities',
      () => changed((file) => (file.liabilities.total = '0.00000001')),
      'proofs[0]',
      /another message/,
    ],
    [
      'negative liabilities',
      () => changed((file) => (file.liabilities.total = '-1.00000000')),
      'liabilities.total',
      /negative/,
    ],
    ['another block', () => changed((file) => (file.block.hash = '33'.repeat(32))), 'headers', /last header/],
    [
      'a header less work',
      () => changed((file) => (file.headers[3] = unworked(file.headers[3]!))),
      'headers[3]',
      /high-hash/,
    ],
    ['a header that is left out', () => changed((file) => file.headers.splice(5, 1)), 'headers[5]', /bad-prevblk/],
    ['a coin that counts twice', twice, 'proofs', /claimed twice/],
    ['a coin that anybody can spend', () => scripted('OP_1'), 'proofs[0]', /no signature was needed/],
    ['a coin that is locked', () => scripted('e803 OP_CHECKSEQUENCEVERIFY OP_DROP'), 'proofs[0]', /relative lock/],
    ['something else', () => ({ type: 'x' }), null, /no report of reserves/],
  ])('%s is found', (_, make, place, problem) => {
    expect(() => verifyReserves(make())).toThrow(
      expect.objectContaining({ place, message: expect.stringMatching(problem) }),
    );
  });
  function twice() {
    return reservesOf(statement, headers, wallet, [[coin(1)], [coin(1), coin(2)]]);
  }
  /** One coin of P2WSH with a sequence of 1000; where the script drops what it has, a signature follows. */
  function scripted(asm: string): ReservesReport {
    const key = Buffer.alloc(32, 7);
    const pubkey = ecc.pointFromScalar(key, true)!;
    const { output } = payments.p2wpkh({ pubkey });
    const address = payments.p2wpkh({ pubkey, network: networks.regtest }).address!;
    const signs = asm.endsWith('DROP');
    const script = bitcoinScript.fromASM(signs ? `${asm} ${hex(pubkey)} OP_CHECKSIG` : asm);
    const spends = toSpend(output!, Buffer.from(reservesMessage(statement, 0, 1)));
    const toSign = new Transaction();
    toSign.version = 2;
    toSign.addInput(Buffer.from(spends.txid, 'hex').reverse(), 0, 0);
    toSign.addInput(Buffer.from(coin(1).txid, 'hex').reverse(), 0, 1000);
    toSign.addOutput(UNSPENDABLE_SCRIPT, 0n);
    const sign = (at: number, code: Uint8Array, sats: bigint) =>
      bitcoinScript.signature.encode(ecc.sign(toSign.hashForWitnessV0(at, code, sats, 1), key), 1);
    const own = { amountSats: 0n, script: output! };
    const claimed = { amountSats: 9_000n, script: payments.p2wsh({ redeem: { output: script } }).output! };
    const final = (...witness: Uint8Array[]) => [
      { type: 8, keyData: new Uint8Array(0), value: serializeWitness(witness) },
    ];
    const first = final(sign(0, payments.p2pkh({ pubkey }).output!, 0n), pubkey);
    const second = signs ? final(sign(1, script, 9_000n), script) : final(script);
    const outpoint = (id: FundsCoin['txid']) => ({ txid: id, vout: 0 });
    const psbt = createPsbt({
      version: 2,
      inputs: [
        { outpoint: outpoint(spends.txid), sequence: 0, nonWitnessUtxo: spends.raw, witnessUtxo: own, fields: first },
        { outpoint: outpoint(coin(1).txid), sequence: 1000, witnessUtxo: claimed, fields: second },
      ],
      outputs: [{ amountSats: 0n, script: UNSPENDABLE_SCRIPT }],
    });
    const sum = { coins: 1, amount: '0.00009000' };
    return {
      ...{ ...report, reserves: { coins: 1, total: sum.amount } },
      proofs: [
        { wallet_id: 'w', address, ...sum, signature: `pof${Buffer.from(serializePsbt(psbt)).toString('base64')}` },
      ],
    };
  }
  /** The same header with a nonce that does not meet the target. */
  function unworked(header: string): string {
    for (let nonce = 0; ; nonce++) {
      const bytes = Buffer.from(header, 'hex');
      bytes.writeUInt32LE(nonce, 76);
      const twiceHashed = createHash('sha256').update(createHash('sha256').update(bytes).digest()).digest();
      if (twiceHashed[31]! >= 0x80) return bytes.toString('hex');
    }
  }
});

describe("a customer's proof", () => {
  const proofOf = (id: string) => structuredClone(tree.proofOf(id));
  it('shows every customer within', () => {
    for (const { customerId, balanceSats } of customers)
      expect(verifyInclusion(report, proofOf(customerId))).toMatchObject({ customerId, balanceSats });
  });

  it('finds an omission, a smaller balance and another customer behind the same leaf', () => {
    const without = changed((file) => (file.liabilities = liabilityTree(customers.slice(1)).said));
    const less = changed((file) => {
      file.liabilities = liabilityTree([{ customerId: 'alice', balanceSats: 0n }, ...customers.slice(1)]).said;
    });
    for (const file of [without, less])
      expect(() => verifyInclusion(file, proofOf('alice'))).toThrow(/sums lead to|root|siblings/);
    const kept = { ...less.liabilities, total: tree.said.total };
    expect(() => verifyInclusion({ ...less, liabilities: kept }, proofOf('alice'))).toThrow(/not in the report/);
    expect(() => verifyInclusion(report, { ...proofOf('alice'), customer_id: 'mallory' })).toThrow(/not in the report/);
  });

  it.each<[string, (proof: ReturnType<typeof proofOf>) => void, string, RegExp]>([
    ['a changed balance', (proof) => (proof.balance = '0.00009999'), 'path', /sums lead to/],
    ['a changed salt', (proof) => (proof.salt = '00'.repeat(32)), 'path', /another root/],
    ['a changed sibling', (proof) => (proof.path[0]!.hash = '00'.repeat(32)), 'path', /another root/],
    ['a negative sibling', (proof) => (proof.path[1]!.sum = '-0.00000001'), 'path[1].sum', /negative/],
    ['sums that are shifted', shifted, 'path', /another root/],
    ['a sum of more than all bitcoin', (proof) => (proof.path[0]!.sum = '21000000.00000000'), 'path', /21,000,000/],
    ['another place', (proof) => (proof.index ^= 1), 'path', /another root|siblings/],
  ])('%s is found', (_, change, place, problem) => {
    const proof = customers.map(({ customerId }) => proofOf(customerId)).find(({ index }) => index === 2)!;
    change(proof);
    const matching = expect.objectContaining({ place, message: expect.stringMatching(problem) });
    expect(() => verifyInclusion(report, proof)).toThrow(matching);
  });
  function shifted(proof: ReturnType<typeof proofOf>) {
    const [first, second] = proof.path.map(({ sum }) => Number(sum.replace('.', '')));
    proof.path[0]!.sum = `0.${`${first! + 1}`.padStart(8, '0')}`;
    proof.path[1]!.sum = `0.${`${second! - 1}`.padStart(8, '0')}`;
  }
});

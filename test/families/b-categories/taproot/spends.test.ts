/** Spends of taproot outputs over HTTP: hashed, signed, built, verified, and what is wrong with those that fail. */
import { Transaction } from 'bitcoinjs-lib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { formatBtc } from '../../../../src/core/amount.ts';
import { ecc } from '../../../../src/core/keys/ecc.ts';
import { type Json, startTestApp, type TestApp } from '../../../builders/app.ts';
import { walletSpending, walletSpent } from '../../../core/taproot/taproot-vectors.ts';
import { noteSecret } from '../../../secrets/collected.ts';

let service: TestApp;
beforeAll(async () => {
  service = await startTestApp();
});
afterAll(() => service.close());

const hex = (value: Uint8Array): string => Buffer.from(value).toString('hex');
const bytes = (text: string): Buffer => Buffer.from(text, 'hex');
const keyOf = (digit: number) => {
  const key = hex(new Uint8Array(32).fill(digit));
  noteSecret('taproot private key', key);
  return { key, publicKey: hex(ecc.xOnlyPointFromScalar(bytes(key))) };
};
const internal = keyOf(0x31);
const signer = keyOf(0x32);
const BASE = '/api/v1/taproot';
const done = async (path: string, body: Json): Promise<Json> => {
  const answer = await service.post(`${BASE}/${path}`, body);
  expect(answer.status, `${path}: ${answer.text}`).toBeLessThan(300);
  return answer.body;
};

/** An output with a leaf that its signer signs for, and one that asks for a number. */
const output = {
  internal_key: internal.publicKey,
  script_tree: [{ script: `20${signer.publicKey}ac` }, [{ script: '5287' }, { script: '51', leaf_version: 0xc2 }]],
};

function unsigned(count = 1): string {
  const transaction = new Transaction();
  transaction.version = 2;
  for (let n = 0; n < count; n++) transaction.addInput(Buffer.alloc(32, n + 1), n, 0xffff_fffd);
  transaction.addOutput(bytes(`0014${'75'.repeat(20)}`), 10_000n as never);
  return transaction.toHex();
}
const withWitness = (raw: string, ...witness: string[]): string => {
  const transaction = Transaction.fromHex(raw);
  transaction.setWitness(0, witness.map(bytes));
  return transaction.toHex();
};

async function spend() {
  const { address, script_pubkey, merkle_root, leaves } = await done('outputs/preview', output);
  return { transaction: unsigned(), prevouts: [{ amount: '0.0002', address }], script_pubkey, merkle_root, leaves };
}

describe('a spend by a leaf', () => {
  it('is hashed, signed, built and verified, from a kept output or from its tree', async () => {
    const { transaction, prevouts, leaves } = await spend();
    const { output_id } = await done('outputs', output);
    const leaf_hash = leaves[0].leaf_hash;
    const { signature_hash } = await done('signature-hashes', { transaction, prevouts, leaf_hash });
    const { signature } = await done('signatures', { key: signer.key, message: signature_hash });
    const built = await done('spends', { output_id, leaf_index: 0, stack: [signature], transaction });
    expect(built).toMatchObject({ leaf_hash, witness: [signature, leaves[0].script, leaves[0].control_block] });
    const beside = await done('spends', { ...output, leaf_index: 0, stack: [signature], transaction });
    expect(beside).toEqual(built);
    expect(await done('spends', { ...output, leaf_index: 0 })).toMatchObject({ transaction: null });
    const verdict = await done('spends/verify', { transaction: built.transaction, prevouts });
    expect(verdict).toMatchObject({
      ...{
        valid: true,
        script_error: null,
        reason: null,
        standard: true,
        standard_reason: null,
        path: 'script',
        annex: null,
      },
      leaf: {
        leaf_hash,
        leaf_version: 0xc0,
        control_block: { valid: true, problem: null, internal_key: internal.publicKey },
      },
    });
  });

  it('is refused for each reason by itself', async () => {
    const { transaction, prevouts, leaves } = await spend();
    const [signed, number, future] = leaves;
    const verify = (...witness: string[]) =>
      done('spends/verify', { transaction: withWitness(transaction, ...witness), prevouts });
    const problem = (name: string, field: Json = {}) => ({
      valid: false,
      standard: false,
      leaf: { control_block: { valid: false, problem: name, ...field } },
    });

    // A leaf of another: the control block does not lead to the key.
    const swapped = await verify('52', number.script, signed.control_block);
    expect(swapped).toMatchObject(problem('output_key_mismatch'));
    expect(swapped.reason).toMatch(/does not commit/);
    const parity = (Number.parseInt(number.control_block.slice(0, 2), 16) ^ 1).toString(16);
    expect(await verify('02', number.script, parity + number.control_block.slice(2))).toMatchObject(
      problem('parity_mismatch'),
    );
    expect(await verify('02', number.script, number.control_block.slice(0, -2))).toMatchObject(
      problem('control_block_size', { path: null, merkle_root: null }),
    );
    const off = `${number.control_block.slice(0, 2)}${'0'.repeat(63)}5${number.control_block.slice(66)}`;
    expect(await verify('02', number.script, off)).toMatchObject(problem('internal_key_not_on_curve'));

    // The script itself.
    expect(await verify('02', number.script, number.control_block)).toMatchObject({ valid: true, standard: true });
    expect(await verify('03', number.script, number.control_block)).toMatchObject({
      ...{ valid: false, script_error: 'EVAL_FALSE', leaf: { control_block: { valid: true } } },
    });
    const wrong = await verify('01'.repeat(64), signed.script, signed.control_block);
    expect(wrong).toMatchObject({ valid: false, script_error: 'SCHNORR_SIG', reason: 'Invalid Schnorr signature' });
    // A leaf version without rules is valid, and not relayed; so is an annex.
    const unknown = await verify(future.script, future.control_block);
    expect(unknown).toMatchObject({ valid: true, standard: false });
    expect(unknown.standard_reason).toMatch(/version reserved/);
    const annexed = await verify('02', number.script, number.control_block, '5001');
    expect(annexed).toMatchObject({
      valid: true,
      standard: false,
      annex: '5001',
      standard_reason: expect.stringMatching(/annex/),
    });
    expect(await verify()).toMatchObject({ valid: false, path: null, script_error: 'WITNESS_PROGRAM_WITNESS_EMPTY' });
  });

  it('with a long item on the stack is valid, and not relayed', async () => {
    const drop = { internal_key: internal.publicKey, script_tree: { script: '7551' } };
    const { address, leaves } = await done('outputs/preview', drop);
    const transaction = withWitness(unsigned(), '00'.repeat(81), leaves[0].script, leaves[0].control_block);
    const verdict = await done('spends/verify', { transaction, prevouts: [{ amount: '0.0002', address }] });
    expect(verdict).toMatchObject({ valid: true, standard: false, standard_reason: expect.stringMatching(/80 bytes/) });
  });
});

describe('a spend by the key', () => {
  it('is signed for under the tweaked key, and verified with its annex', async () => {
    const { transaction, prevouts, merkle_root } = await spend();
    for (const annex of [undefined, '50abcd']) {
      const { signature_hash } = await done('signature-hashes', { transaction, prevouts, annex });
      const taproot = { merkle_root };
      const { signature } = await done('signatures', { key: internal.key, message: signature_hash, taproot });
      const signed = withWitness(transaction, signature, ...(annex === undefined ? [] : [annex]));
      const verdict = await done('spends/verify', { transaction: signed, prevouts });
      expect(verdict).toMatchObject({ valid: true, path: 'key', leaf: null, annex: annex ?? null });
      expect(verdict.standard).toBe(annex === undefined);
      const other = await done('spends/verify', {
        transaction: signed,
        prevouts: [{ ...prevouts[0], amount: '0.0003' }],
      });
      expect(other).toMatchObject({ valid: false, script_error: 'SCHNORR_SIG', path: 'key' });
    }
  });

  it('of the BIP341 vectors holds for each input, whichever its hash type', async () => {
    const prevouts = walletSpent.map(({ scriptPubKey, amountSats }) => ({
      amount: formatBtc(amountSats),
      script: scriptPubKey,
    }));
    for (const { index, hashType, hash } of walletSpending.inputs) {
      const at = { prevouts, input_index: index };
      const verdict = await done('spends/verify', { transaction: walletSpending.signed, ...at });
      expect(verdict).toMatchObject({ valid: true, path: 'key', output_key: expect.any(String) });
      const names = { 0: 'DEFAULT', 1: 'ALL', 2: 'NONE', 3: 'SINGLE', 129: 'ALL|ANYONECANPAY' } as Record<
        number,
        string
      >;
      const sighash_type = names[hashType] ?? (hashType === 130 ? 'NONE|ANYONECANPAY' : 'SINGLE|ANYONECANPAY');
      const hashed = await done('signature-hashes', { transaction: walletSpending.unsigned, ...at, sighash_type });
      expect(hashed.signature_hash).toBe(hash);
    }
  });
});

describe('mistakes', () => {
  const p2wpkh = { amount: '0.0002', script: `0014${'75'.repeat(20)}` };
  const p2tr = { amount: '0.0002', script: `5120${internal.publicKey}` };
  const elsewhere = 'bc1pwl3s54fzmk0cjnpl3w9af39je7pv5ldg504x5guk2hpecpg2kgsqaqstjq';
  const of = (more: Json = {}) => ({ transaction: unsigned(), prevouts: [p2tr], ...more });
  const cases: [string, string, Json, string, string][] = [
    ['no transaction', 'spends/verify', of({ transaction: '0200' }), 'transaction', 'invalid_transaction'],
    [
      'a transaction too long',
      'spends/verify',
      of({ transaction: '00'.repeat(100_001) }),
      'transaction',
      'invalid_value',
    ],
    ['no such input', 'spends/verify', of({ input_index: 1 }), 'input_index', 'invalid_value'],
    ['an output too few', 'spends/verify', of({ transaction: unsigned(2) }), 'prevouts', 'invalid_value'],
    ['another kind of output', 'spends/verify', of({ prevouts: [p2wpkh] }), 'prevouts[0]', 'invalid_script'],
    [
      'script and address',
      'spends/verify',
      of({ prevouts: [{ ...p2tr, address: elsewhere }] }),
      'prevouts[0].script_pubkey',
      'invalid_value',
    ],
    ['neither', 'spends/verify', of({ prevouts: [{ amount: '1' }] }), 'prevouts[0].script_pubkey', 'invalid_value'],
    [
      "another network's address",
      'spends/verify',
      of({ prevouts: [{ amount: '1', address: elsewhere }] }),
      'prevouts[0].address',
      'wrong_network',
    ],
    [
      'no amount',
      'spends/verify',
      of({ prevouts: [{ ...p2tr, amount: 'much' }] }),
      'prevouts[0].amount',
      'invalid_value',
    ],
    [
      'SINGLE without its output',
      'signature-hashes',
      { transaction: unsigned(2), prevouts: [p2tr, p2tr], input_index: 1, sighash_type: 'SINGLE' },
      'sighash_type',
      'invalid_value',
    ],
    ['an unknown type', 'signature-hashes', of({ sighash_type: 'SOME' }), 'sighash_type', 'invalid_value'],
    ['another kind to hash', 'signature-hashes', of({ prevouts: [p2wpkh] }), 'prevouts[0]', 'invalid_script'],
    ['a code separator without a leaf', 'signature-hashes', of({ code_separator: 3 }), 'leaf_hash', 'invalid_value'],
    ['no annex', 'signature-hashes', of({ annex: 'ab' }), 'annex', 'invalid_value'],
    ['no such leaf', 'spends', { ...output, leaf_index: 3 }, 'leaf_index', 'invalid_value'],
    ['no tree', 'spends', { internal_key: internal.publicKey, leaf_index: 0 }, 'leaf_index', 'invalid_value'],
    ['no output', 'spends', { leaf_index: 0 }, 'internal_key', 'invalid_value'],
    [
      'a stack item that is no hex',
      'spends',
      { ...output, leaf_index: 0, stack: ['51', 'x'] },
      'stack[1]',
      'invalid_value',
    ],
    [
      'no transaction to fill',
      'spends',
      { ...output, leaf_index: 0, transaction: 'abcd' },
      'transaction',
      'invalid_transaction',
    ],
    [
      'no input to fill',
      'spends',
      { ...output, leaf_index: 0, transaction: unsigned(), input_index: 1 },
      'input_index',
      'invalid_value',
    ],
  ];
  it.each(cases)('are named by field: %s', async (_, path, body, field, code) => {
    const answer = await service.post(`${BASE}/${path}`, body);
    expect({ status: answer.status, ...answer.body.error.details }).toMatchObject({ status: 400, field, code });
  });
});

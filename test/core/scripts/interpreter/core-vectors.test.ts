import { Transaction } from 'bitcoinjs-lib';
import { expect, it } from 'vitest';
import { parseTransaction } from '../../../../src/core/blocks/transaction.ts';
import { ecc } from '../../../../src/core/keys/ecc.ts';
import { outputKind } from '../../../../src/core/relay-policy/standard-scripts.ts';
import { derWithHashType } from '../../../../src/core/scripts/der-signature.ts';
import { pushOf } from '../../../../src/core/scripts/interpreter/instructions.ts';
import {
  MANDATORY_FLAGS,
  type ScriptFlag,
  type ScriptFlags,
  STANDARD_FLAGS,
} from '../../../../src/core/scripts/interpreter/script-flags.ts';
import { verifySpend } from '../../../../src/core/scripts/interpreter/verify-spend.ts';
import { createSignatureHasher } from '../../../../src/core/scripts/signature-hash.ts';
import { bytes, vectorRows } from '../../../vectors/rows.ts';

/** A coinbase-like credit and its spend, made as Bitcoin Core's script_tests.cpp makes them. */
function spendOf(scriptSig: Uint8Array, scriptPubKey: Uint8Array, amountSats = 0n, witness: Uint8Array[] = []) {
  const credit = new Transaction();
  credit.version = 1;
  credit.addInput(new Uint8Array(32), 0xffffffff, 0xffffffff, Uint8Array.of(0, 0));
  credit.addOutput(scriptPubKey, amountSats);
  const spend = new Transaction();
  spend.version = 1;
  spend.addInput(credit.getHash(), 0, 0xffffffff, scriptSig);
  spend.addOutput(new Uint8Array(0), amountSats);
  spend.setWitness(0, witness);
  return {
    transaction: parseTransaction(spend.toBuffer()),
    spent: [{ amountSats, scriptPubKey: Buffer.from(scriptPubKey).toString('hex') }],
  };
}

function verdictOf({ transaction, spent }: ReturnType<typeof spendOf>, flags: ScriptFlags): string {
  const verdict = verifySpend(transaction, spent, 0, flags);
  return verdict.valid ? 'OK' : verdict.error;
}

it('judges every spend of the script tests of Bitcoin Core as it does, by the same error', () => {
  const rows = vectorRows('core-scripts');
  expect(rows).toHaveLength(1199);
  const wrong = rows.filter((row) => {
    const [scriptSig = '', scriptPubKey = '', flags = '', expected, amount = '0', ...witness] = row;
    const spend = spendOf(bytes(scriptSig), bytes(scriptPubKey), BigInt(amount), witness.map(bytes));
    return verdictOf(spend, new Set(flags.split(',') as ScriptFlag[])) !== expected;
  });
  expect(wrong).toEqual([]);
});

it.each([6, 7])('lets blocks, not relay, spend by a key in the hybrid form %d whose parity is right', (prefix) => {
  const secret = Array.from({ length: 40 }, (_, at) => new Uint8Array(32).fill(at + 1)).find(
    (candidate) => (ecc.pointFromScalar(candidate) as Uint8Array)[0] === prefix - 4,
  ) as Uint8Array;
  const judge = (first: number, flags: ScriptFlags) => {
    const key = Buffer.from(ecc.pointFromScalar(secret, false) as Uint8Array);
    key[0] = first;
    const script = Buffer.concat([pushOf(key), Uint8Array.of(0xac)]);
    expect(outputKind(script)).toBe('p2pk');
    const { transaction, spent } = spendOf(new Uint8Array(0), script);
    const hash = createSignatureHasher(transaction, spent).legacy(0, script, 1);
    return verdictOf(spendOf(pushOf(derWithHashType(ecc.signEcdsa(hash, secret), 1)), script), flags);
  };
  expect(judge(prefix, MANDATORY_FLAGS)).toBe('OK');
  expect(judge(prefix, STANDARD_FLAGS)).toBe('PUBKEYTYPE');
  expect(judge(13 - prefix, MANDATORY_FLAGS)).toBe('EVAL_FALSE');
});

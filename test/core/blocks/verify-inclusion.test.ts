/** Proofs that lead to the right root and prove nothing all the same. */
import { describe, expect, it } from 'vitest';
import { type BlockHeader, parseHeader, serializeHeader } from '../../../src/core/blocks/header.ts';
import { merkleRoot } from '../../../src/core/blocks/merkle.ts';
import { merkleBranch } from '../../../src/core/blocks/merkle-branch.ts';
import { merkleBlock } from '../../../src/core/blocks/partial-merkle-tree.ts';
import { workProblem } from '../../../src/core/blocks/proof-of-work.ts';
import { type ParsedTransaction, parseTransaction } from '../../../src/core/blocks/transaction.ts';
import { type BranchProof, verifyBranchProof, verifyMerkleBlock } from '../../../src/core/blocks/verify-inclusion.ts';
import { hash256 } from '../../../src/core/hashes.ts';
import { type BlockHash, displayHash, internalHash, type Txid } from '../../../src/core/outpoint.ts';

/** One input, one output; `script` is the output's. */
const transaction = (outpoint: string, script: string): ParsedTransaction =>
  parseTransaction(
    Buffer.from(
      `01000000${`01${outpoint}00ffffffff`}01${'00'.repeat(8)}${(script.length / 2).toString(16).padStart(2, '0')}${script}00000000`,
      'hex',
    ),
  );
const COINBASE = `${'00'.repeat(32)}ffffffff`;
const PAID = `${'11'.repeat(32)}00000000`;
const coinbase = transaction(COINBASE, '5151515151');
const payment = transaction(PAID, '5252525252');

/** A header over these hashes, with the work or without it. */
function headerOf(hashes: readonly Uint8Array[], works = true): BlockHeader {
  for (let nonce = 0; ; nonce++) {
    const header = parseHeader(
      serializeHeader({
        ...{ version: 1, prevHash: '00'.repeat(32) as BlockHash, time: 1, bits: 0x207fffff, nonce },
        merkleRoot: displayHash(merkleRoot(hashes).root),
      }),
    );
    if ((workProblem(header, 'regtest') === null) === works) return header;
  }
}
const idsOf = (transactions: readonly ParsedTransaction[]) => transactions.map(({ txid }) => internalHash(txid));
const problemOf = (proof: BranchProof) => verifyBranchProof(proof, 'regtest').problem?.code ?? null;

/** The proof of the second of two transactions, by the first as coinbase. */
function proofOf(first: ParsedTransaction, second: ParsedTransaction): BranchProof {
  const hashes = idsOf([first, second]);
  return {
    ...{ txid: second.txid, transaction: second, position: 1, header: headerOf(hashes) },
    branch: merkleBranch(hashes, 1),
    coinbase: { transaction: first, branch: merkleBranch(hashes, 0) },
  };
}

describe('a branch that leads to the root', () => {
  it('proves its transaction', () => expect(problemOf(proofOf(coinbase, payment))).toBeNull());

  it('proves no transaction of 64 bytes, as coinbase neither (CVE-2017-12842)', () => {
    const [short, shortCoinbase] = [transaction(PAID, '51515151'), transaction(COINBASE, '51515151')];
    expect([short.raw.length, shortCoinbase.raw.length]).toEqual([64, 64]);
    expect(problemOf(proofOf(coinbase, short))).toBe('sixty-four-bytes');
    expect(problemOf(proofOf(shortCoinbase, payment))).toBe('wrong-coinbase');
  });

  it('needs the coinbase itself, and its height in the tree', () => {
    expect(problemOf(proofOf(transaction(PAID, '5353535353'), payment))).toBe('wrong-coinbase');
    const hashes = idsOf([coinbase, payment, payment, payment]);
    hashes[3] = hash256(Buffer.from('another'));
    // An inner node is said to be a transaction: one level is left out.
    const inner = hash256(Buffer.concat([hashes[2]!, hashes[3]]));
    const proof = {
      ...{ txid: displayHash(inner) as Txid, transaction: null, position: 1, header: headerOf(hashes) },
      branch: [hash256(Buffer.concat([hashes[0]!, hashes[1]!]))],
    };
    expect(problemOf({ ...proof, coinbase: null })).toBeNull();
    const whole = { transaction: coinbase, branch: merkleBranch(hashes, 0) };
    expect(problemOf({ ...proof, coinbase: whole })).toBe('unequal-branches');
  });
});

it('a header without the work proves nothing, in either form', () => {
  const hashes = idsOf([coinbase, payment]);
  for (const [works, code] of [
    [true, null],
    [false, 'no-work'],
  ] as const) {
    const header = headerOf(hashes, works);
    expect(problemOf({ ...proofOf(coinbase, payment), header })).toBe(code);
    const bytes = merkleBlock(serializeHeader(header), hashes, [1]);
    expect(verifyMerkleBlock(bytes, 'regtest').problem?.code ?? null).toBe(code);
    // It names nothing, whatever its work.
    const empty = verifyMerkleBlock(merkleBlock(serializeHeader(header), hashes, []), 'regtest').problem?.code;
    expect(empty).toBe(code ?? 'no-match');
  }
});

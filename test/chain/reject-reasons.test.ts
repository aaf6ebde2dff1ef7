import { describe, expect, it } from 'vitest';
import { rejectMeaning, verdictOf } from '../../src/chain/reject-reasons.ts';

describe('reject reasons of Bitcoin Core', () => {
  it.each([
    'txn-already-in-mempool',
    'txn-already-known',
    'txn-same-nonwitness-data-in-mempool',
    'Transaction already in block chain',
    'Transaction outputs already in utxo set',
  ])('%s: the node has it', (reason) => {
    expect(verdictOf(reason)).toEqual({ result: 'known' });
  });

  it.each([
    'bad-txns-inputs-missingorspent',
    'missing-inputs',
    'Missing inputs',
    'Inputs missing or spent',
  ])('%s: needs a closer look, and is not final without one', (reason) => {
    expect(rejectMeaning(reason)).toBe('missing inputs');
    expect(verdictOf(reason)).toEqual({ result: 'refused', reason, final: false });
  });

  it.each([
    'non-final',
    'non-BIP68-final',
    'bad-txns-premature-spend-of-coinbase, tried to spend coinbase at depth 2',
    'mempool min fee not met, 110 < 1000',
    'min relay fee not met, 0 < 110',
    'mempool full',
    'too-long-mempool-chain, too many unconfirmed ancestors [limit: 25]',
    'too-large-cluster',
    'insufficient fee, rejecting replacement abc, less fees than conflicting txs; 0.00001 < 0.00002',
    'txn-mempool-conflict',
    'replacement-adds-unconfirmed',
    'TRUC-violation, version=3 tx child is too big',
    'missing-ephemeral-spends',
    'unspent-dust',
    'package RBF failed: package must be 1-parent-1-child',
    'package topology disallowed. not child-with-parents or parents depend on each other.',
    'bip125-replacement-disallowed',
    'a reason of some later version',
  ])('%s: may pass later', (reason) => {
    expect(verdictOf(reason)).toMatchObject({ result: 'refused', final: false });
  });

  it.each([
    'mandatory-script-verify-flag-failed (Signature must be zero for failed CHECK(MULTI)SIG operation)',
    'mempool-script-verify-flag-failed (Invalid Schnorr signature)',
    'non-mandatory-script-verify-flag (No error)',
    'non-mandatory-script-verify-flag-failed (Locktime requirement not satisfied)',
    'block-script-verify-flag-failed (OP_RETURN was encountered)',
    'bad-txns-in-belowout, value in (0.5) < value out (0.6)',
    'bad-txns-spends-conflicting-tx',
    'bad-witness-nonstandard',
    'TX decode failed. Make sure the tx has at least one input.',
    'tx-size',
    'scriptpubkey',
    'dust, tx with dust output must be 0-fee',
    'version',
    'coinbase',
  ])('%s: will never pass', (reason) => {
    expect(verdictOf(reason)).toMatchObject({ result: 'refused', final: true });
  });

  it('keeps the reason short and on one line', () => {
    const verdict = verdictOf(`bad-txns-${'x'.repeat(1000)}\n second line`);
    expect(verdict.result === 'refused' && verdict.reason.length).toBe(300);
    expect(verdictOf('dust\n\tmore')).toMatchObject({ reason: 'dust more' });
  });
});

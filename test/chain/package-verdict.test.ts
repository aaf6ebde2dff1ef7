import { describe, expect, it } from 'vitest';
import { packageCause, packageParts } from '../../src/chain/package-verdict.ts';

const FEE = 'min relay fee not met, 0 < 11';
const MISSING = 'bad-txns-inputs-missingorspent';
const FORGED = 'mempool-script-verify-flag-failed (Invalid Schnorr signature)';

describe('why a package is not in', () => {
  it.each([
    ['nothing: all are in', 'success', [null, null], null],
    ['nothing: the child is in, its parent in a block', 'transaction failed', ['txn-already-known', null], null],
    ['the parent, not the child that lacks it', 'transaction failed', [FEE, MISSING], 'parent'],
    [
      'the child, not the parent that it should have paid for',
      'unspent-dust',
      [FEE, 'missing-ephemeral-spends'],
      'child',
    ],
    ['the child, not the parent that is known', 'transaction failed', ['txn-already-in-mempool', FORGED], 'child'],
    ['the child, where nothing says more', 'transaction failed', ['txn-already-known', MISSING], 'child'],
    ['all of them', 'package RBF failed: package must be 1-parent-1-child', [FEE, MISSING], null],
  ] as const)('%s', (_, message, [parentError, childError], txid) => {
    const parts = [
      { txid: 'parent', error: parentError },
      { txid: 'child', error: childError },
    ];
    const cause = packageCause(message, parts);
    if (childError === null) expect(cause).toBeNull();
    else expect(cause).toEqual({ txid, error: txid ? parts.find((part) => part.txid === txid)?.error : message });
  });

  it('is the message where the node looked at no transaction', () => {
    const parts = packageParts(['a', 'b'], { package_msg: 'package-too-large', 'tx-results': {} });
    expect(packageCause('package-too-large', parts)).toEqual({ txid: null, error: 'package-too-large' });
  });
});

/** A payment without change that was given up, and is asked for once more in the same block: it would have the same txid. */
import { describe, expect, it } from 'vitest';
import { DomainError } from '../../../src/core/errors.ts';
import type { CreateWalletRequest } from '../../../src/services/wallets/wallet-service.ts';
import { cosigner } from '../../builders/cosigner.ts';
import { BTC, openPayments, rate } from './payments-setup.ts';

const key = cosigner('alice');
const KINDS: readonly [string, Partial<CreateWalletRequest>][] = [
  ['of a multisig', { type: 'multisig', required: 2, cosigners: [key.multisigKey, cosigner('bob').multisigKey] }],
  ['whose txid changes', { type: 'watch-only', descriptor: `sh(wpkh(${key.key(49, 1, 0)}/<0;1>/*))`, birthday: 0 }],
];

describe('the same payment again', () => {
  it.each(KINDS)('%s is refused by name, and made with another fee', async (_, request) => {
    const p = await openPayments();
    const { wallet } = await p.wallets.create({ name: 'w', backupType: 'none', ...request } as never, p.context());
    await p.fund(wallet, [BTC]);
    const pay = (more: object) => p.transactions.create(p.pay(wallet, 'max', more), { dryRun: false }, p.context());
    const first = await pay({ feeRate: rate('2') });
    await p.transactions.abandon(first.txid, p.context());

    // One locktime in ten is drawn anew: then it is another transaction.
    const again = await pay({ feeRate: rate('2') }).catch((error: unknown) => error);
    if (again instanceof Error) {
      expect(again).toBeInstanceOf(DomainError);
      expect(again).toMatchObject({ code: 'state_conflict', details: { field: 'recipients' } });
      expect(again.message).toContain(first.txid);
      // Nothing of it stays: its coin is free.
      expect(await pay({ feeRate: rate('3') })).toMatchObject({ status: 'awaiting_signature' });
    } else expect(again).toMatchObject({ status: 'awaiting_signature' });
  });
});

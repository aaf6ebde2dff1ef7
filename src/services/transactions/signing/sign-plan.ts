import { ecc } from '../../../core/keys/ecc.ts';
import type { PaymentPlan } from '../../../core/payments/payment-plan.ts';
import { signTransaction } from '../../../core/transactions/sign-transaction.ts';
import { inSlices } from '../../../scheduling/in-slices.ts';
import type { WalletRecord } from '../../../store/records.ts';
import type { OfService, Passed } from '../../policies/gate.ts';
import type { OpenKeyRing } from '../../wallets/wallet-keys.ts';
import { ownTurn } from '../coins/own-turn.ts';

/** Inputs that are signed in one turn of the event loop, a few tenths of a millisecond each. */
const SIGNED_AT_ONCE = 12;

/** Signs with the keys of a wallet that has them all here. Throws `signing_unavailable`. */
export type SignPlan = (
  wallet: WalletRecord,
  plan: Pick<PaymentPlan, 'version' | 'locktime' | 'inputs' | 'outputs'>,
  passed: Passed | OfService,
) => Promise<ReturnType<typeof signTransaction> extends Generator<unknown, infer Signed> ? Signed : never>;

export function createSignPlan(deps: {
  openKeyRing: OpenKeyRing;
  randomBytes: (size: number) => Uint8Array;
}): SignPlan {
  const { randomBytes } = deps;
  return async (wallet, plan, passed) => {
    const turn = () => ownTurn(wallet.accountId);
    const keys = await deps.openKeyRing(wallet, passed);
    try {
      await turn();
      return await inSlices(signTransaction(plan, keys, { ecc, randomBytes }), SIGNED_AT_ONCE, turn);
    } finally {
      keys.dispose();
    }
  };
}

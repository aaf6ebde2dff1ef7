import type { PricedCoin } from '../coin-selection/output-group.ts';
import type { RandomSource } from '../coin-selection/random-source.ts';
import type { Payees } from './check-recipients.ts';
import type { PaymentRequest } from './payment-plan.ts';
import type { SpendableCoins } from './spendable-coins.ts';
import type { SpendingVersion } from './spending-versions.ts';

/** What one attempt needs to know. */
export interface PaymentContext {
  readonly request: PaymentRequest;
  readonly payees: Payees;
  readonly version: SpendingVersion;
  readonly preset: readonly PricedCoin[];
  readonly coins: readonly PricedCoin[];
  readonly spendable: SpendableCoins;
  readonly maxAncestors: number;
  readonly random: RandomSource;
}

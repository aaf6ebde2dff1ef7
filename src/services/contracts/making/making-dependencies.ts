import type { ChainSource } from '../../../chain/chain-source.ts';
import type { TermsJobs } from '../../../core/dlc/jobs/terms-jobs.ts';
import type { Computing } from '../../../engines/computing/computing.ts';
import type { ContractRecord } from '../../../store/repositories/contract-rows.ts';
import type { Repositories, Store } from '../../../store/store.ts';
import type { Gate } from '../../policies/gate.ts';
import type { SpendingConditions } from '../../transactions/drafting/spending-conditions.ts';
import type { ContractView } from '../contract-service.ts';
import type { ContractDriver } from '../driver/contract-driver.ts';
import type { OfferBounds } from '../remote/offers/offer-limits.ts';
import type { PrepareSide } from '../sides/prepare-side.ts';
import type { AdaptorWork } from '../signing/adaptor-work.ts';
import type { EventFinder } from '../terms/contract-events.ts';

export interface MakingDependencies {
  readonly store: Store;
  readonly chain: Pick<ChainSource, 'estimateFees'>;
  readonly conditions: SpendingConditions;
  readonly gate: Gate;
  readonly events: EventFinder;
  readonly computing: Computing<TermsJobs>;
  readonly cets: Pick<AdaptorWork, 'sharedPoint'>;
  readonly prepareSide: PrepareSide;
  readonly driver: Pick<ContractDriver, 'answerAfter'>;
  readonly view: (record: ContractRecord) => Promise<ContractView>;
  readonly viewIn: (tx: Repositories, record: ContractRecord) => Promise<ContractView>;
  readonly offerBounds?: OfferBounds | undefined;
  readonly clock: () => number;
  readonly randomBytes: (size: number) => Uint8Array;
}

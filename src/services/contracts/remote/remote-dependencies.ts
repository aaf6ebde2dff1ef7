import type { Logger } from 'pino';
import type { ChainSource } from '../../../chain/chain-source.ts';
import type { Dialect } from '../../../core/dlc/dialect.ts';
import type { MessageJobs } from '../../../core/dlc/jobs/message-jobs.ts';
import type { AccountId } from '../../../core/ids.ts';
import type { Network } from '../../../core/network.ts';
import type { SigningTools } from '../../../core/transactions/sign-transaction.ts';
import type { Computing } from '../../../engines/computing/computing.ts';
import type { Store } from '../../../store/store.ts';
import type { HeldRequests } from '../../approvals/held-requests.ts';
import type { OracleService } from '../../oracles/oracle-service.ts';
import type { Gate } from '../../policies/gate.ts';
import type { SpendingConditions } from '../../transactions/drafting/spending-conditions.ts';
import type { PreviousTransactions } from '../../transactions/signing/previous-transactions.ts';
import type { ScriptPool } from '../../wallets/database-script-pool.ts';
import type { ContractMoves } from '../contract-moves.ts';
import type { ProgressOf } from '../contract-progress.ts';
import type { SendClosing } from '../settlement/closing-sender.ts';
import type { PrepareSide } from '../sides/prepare-side.ts';
import type { WithSideKeys } from '../sides/side-keys.ts';
import type { AdaptorWork } from '../signing/adaptor-work.ts';
import type { MakeCheckContext } from './check-context.ts';
import type { CounterpartyCoins } from './counterparty-coins.ts';
import type { OfferBounds } from './offers/offer-limits.ts';

interface CetMessages {
  /** Whose contract it is: accounts take turns. */
  readonly accountId: AccountId;
  /** Wire messages; the accept message may be without signatures. */
  readonly offer: Uint8Array;
  readonly accept: Uint8Array;
  readonly dialect: Dialect;
  readonly onProgress?: (done: number, total: number) => void;
  readonly signal?: AbortSignal | undefined;
}

/** Adaptor signatures by the thousand, in worker threads. */
interface CetWork extends Pick<AdaptorWork, 'sharedPoint'> {
  /** 162 bytes each. The key is copied; the caller zeroes its own. */
  signAllCets(work: CetMessages & { privateKey: Uint8Array }): Promise<Uint8Array>;
  verifyAllCets(
    work: CetMessages & { publicKey: Uint8Array; signatures: Uint8Array },
  ): Promise<{ valid: true } | { valid: false; index: number }>;
}

export interface RemoteDependencies {
  readonly store: Store;
  readonly chain: ChainSource;
  readonly network: Network;
  readonly oracles: Pick<
    OracleService,
    'requireFreshNonces' | 'keepAnnouncement' | 'storeAttestation' | 'attestationsOf' | 'askForAttestation'
  >;
  readonly prepareSide: PrepareSide;
  readonly withSideKeys: WithSideKeys;
  readonly scripts: ScriptPool;
  readonly moves: ContractMoves;
  readonly conditions: SpendingConditions;
  readonly gate: Gate;
  readonly held: Pick<HeldRequests, 'operation'>;
  readonly sendClosing: SendClosing;
  /** Tells the contract how far long work is. */
  readonly progressOf: ProgressOf;
  readonly cets: CetWork;
  readonly computing: Computing<MessageJobs>;
  readonly previousTransactions: PreviousTransactions;
  readonly checkContext: MakeCheckContext;
  readonly counterpartyCoins: CounterpartyCoins;
  readonly signingTools: SigningTools;
  readonly offerBounds?: OfferBounds | undefined;
  readonly clock: () => number;
  readonly randomBytes: (size: number) => Uint8Array;
  readonly log: Pick<Logger, 'info' | 'warn' | 'error'>;
}

/** The service of contracts out of its parts, and the driver that the process starts once it follows the chain. */

import type { Logger } from 'pino';
import type { ChainSource } from '../../chain/chain-source.ts';
import type { MessageJobs } from '../../core/dlc/jobs/message-jobs.ts';
import type { TermsJobs } from '../../core/dlc/jobs/terms-jobs.ts';
import type { AccountId, ContractId } from '../../core/ids.ts';
import { ecc } from '../../core/keys/ecc.ts';
import type { Network } from '../../core/network.ts';
import type { Computing } from '../../engines/computing/computing.ts';
import type { ContractRecord } from '../../store/repositories/contract-rows.ts';
import type { Store } from '../../store/store.ts';
import type { RecordSubject } from '../approvals/approval-subject.ts';
import type { HeldRequests } from '../approvals/held-requests.ts';
import type { OracleService } from '../oracles/oracle-service.ts';
import type { TransactionParts } from '../transactions/index.ts';
import type { OpenKeyRing } from '../wallets/wallet-keys.ts';
import { createApprovedContracts } from './approving/approved-contracts.ts';
import { createCancelContract } from './cancel-contract.ts';
import { compromisedOraclesOf } from './compromised-oracles.ts';
import { createContractMoves } from './contract-moves.ts';
import { createProgressOf } from './contract-progress.ts';
import type { ContractService, ContractView } from './contract-service.ts';
import { createCpfpContract } from './cpfp-contract.ts';
import { type ContractDriver, createContractDriver } from './driver/contract-driver.ts';
import { createEndUnanswered } from './driver/end-unanswered.ts';
import { createContractCreator } from './making/create-contract.ts';
import { createSendFunding } from './making/send-funding.ts';
import { createSignBothSides } from './making/sign-both-sides.ts';
import { createCheckContext } from './remote/check-context.ts';
import { requireContract, viewOf } from './remote/contract-messages.ts';
import { createCounterpartyCoins } from './remote/counterparty-coins.ts';
import { createRemoteContracts } from './remote/index.ts';
import type { OfferBounds } from './remote/offers/offer-limits.ts';
import { createSendClosing } from './settlement/closing-sender.ts';
import { createExecuteContract } from './settlement/execute-contract.ts';
import { createLearnOutcome } from './settlement/learn-outcome.ts';
import { createRefundContract, createRefundRequest } from './settlement/refund-contract.ts';
import { createSendClosingStep } from './settlement/send-closing-step.ts';
import { createSettleByItself } from './settlement/settle-by-itself.ts';
import { createSettleContract } from './settlement/settle-contract.ts';
import { createPrepareSide } from './sides/prepare-side.ts';
import { createWithSideKeys } from './sides/side-keys.ts';
import type { AdaptorWork } from './signing/adaptor-work.ts';
import { createEventFinder } from './terms/contract-events.ts';
import { createContractTerms } from './terms/contract-terms.ts';
import { previewInfo, resolveTerms } from './terms/resolve-terms.ts';

export interface ContractsDependencies {
  readonly store: Store;
  readonly chain: ChainSource;
  readonly network: Network;
  readonly oracles: OracleService;
  readonly parts: TransactionParts;
  readonly held: Pick<HeldRequests, 'operation'>;
  readonly openKeyRing: OpenKeyRing;
  readonly cets: AdaptorWork;
  readonly computing: Computing<TermsJobs & MessageJobs>;
  /** Calls back after the follower has applied a new tip; returns the unsubscribe. */
  readonly onTip: (listener: () => void) => () => void;
  readonly clock: () => number;
  readonly randomBytes: (size: number) => Uint8Array;
  readonly log: Logger;
  /** How long a request waits for its contract to get on. */
  readonly answerMs?: number;
  readonly intervalMs?: number;
  /** Of open offers that hold no coins. */
  readonly offerBounds?: OfferBounds | undefined;
}

export function createContracts(deps: ContractsDependencies): {
  contracts: ContractService;
  driver: ContractDriver;
  approvedContracts: RecordSubject;
} {
  const { store, parts, oracles, log, randomBytes } = deps;
  const { read } = store;
  const shared = {
    ...parts,
    ...deps,
    moves: createContractMoves(deps),
    events: createEventFinder({ read, oracles }),
    prepareSide: createPrepareSide({ ...parts, read, randomBytes }),
    withSideKeys: createWithSideKeys({ read, openKeyRing: deps.openKeyRing }),
    signingTools: { ecc, randomBytes },
    checkContext: createCheckContext(deps),
    counterpartyCoins: createCounterpartyCoins(deps),
    sendClosing: createSendClosing({ ...parts, store, log }),
    require: (accountId: AccountId, contractId: ContractId) => requireContract(read, accountId, contractId),
    view: (record: Parameters<typeof viewOf>[1]) => viewOf(read, record),
    viewIn: viewOf,
  };
  const withProgress = { ...shared, progressOf: createProgressOf({ moves: shared.moves, log }) };
  const settling = createSettleContract(shared);
  const refunding = createRefundContract(shared);
  const remote = createRemoteContracts(withProgress);

  const driver = createContractDriver({
    ...shared,
    onAttestation: oracles.onAttestation,
    steps: [
      createEndUnanswered({ ...shared, read }),
      ...createSignBothSides(withProgress),
      ...remote.steps,
      createSendFunding(shared),
      ...createSettleByItself({ ...shared, settling, refunding }),
      createLearnOutcome(shared),
      createSendClosingStep(shared),
    ],
  });

  const terms: ContractService['terms'] = async (request, context) =>
    previewInfo(await resolveTerms(shared, context, request));
  /** Messages have megabytes: one at a time. */
  const listed = async (accountId: AccountId, records: readonly ContractRecord[]): Promise<ContractView[]> => {
    const marked = await compromisedOraclesOf(read, accountId, records);
    return records.map((record, at) => ({ ...record, messages: {}, markedOracles: marked[at] ?? [] }));
  };
  const contracts: ContractService = {
    create: createContractCreator({ ...shared, driver }),
    async get(contractId, context) {
      return viewOf(read, await requireContract(read, context.accountId, contractId));
    },
    async getListed(contractId, { accountId }) {
      const [view] = await listed(accountId, [await requireContract(read, accountId, contractId)]);
      return view!;
    },
    async list(filter, page, { accountId }) {
      const found = await read.contracts.list(accountId, filter, page);
      return { ...found, data: await listed(accountId, found.data) };
    },
    execute: createExecuteContract({ ...shared, settling }),
    cancel: createCancelContract({ ...shared, driver }),
    refund: createRefundRequest({ ...shared, refunding }),
    cpfp: createCpfpContract(shared),
    terms,
    ...createContractTerms({ read, terms, computing: deps.computing }),
    ...remote.methods(driver),
  };
  const { requireOpen } = remote;
  return { contracts, driver, approvedContracts: createApprovedContracts({ ...shared, driver, requireOpen }) };
}

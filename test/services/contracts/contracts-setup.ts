/** Contracts with everything real under them: payments' ground, the account's own oracle, the driver. */

import { onTestFinished } from 'vitest';
import type { ContractId } from '../../../src/core/ids.ts';
import { computeHere } from '../../../src/engines/computing/compute-here.ts';
import type { Fetching } from '../../../src/engines/fetching/fetching.ts';
import type { RecordSubject } from '../../../src/services/approvals/approval-subject.ts';
import type { Held } from '../../../src/services/approvals/held-answer.ts';
import type {
  ContractRequest,
  ContractService,
  ContractView,
} from '../../../src/services/contracts/contract-service.ts';
import { createContracts } from '../../../src/services/contracts/create-contracts.ts';
import type { ContractDriver } from '../../../src/services/contracts/driver/contract-driver.ts';
import type { OfferBounds } from '../../../src/services/contracts/remote/offers/offer-limits.ts';
import { type AdaptorWork, createAdaptorWork } from '../../../src/services/contracts/signing/adaptor-work.ts';
import { createOracleService } from '../../../src/services/oracles/create-oracle-service.ts';
import type { OracleService } from '../../../src/services/oracles/oracle-service.ts';
import { createOpenKeyRing } from '../../../src/services/wallets/wallet-keys.ts';
import type { WalletRecord } from '../../../src/store/records.ts';
import type { ApprovalRecord } from '../../../src/store/repositories/approvals.ts';
import type { Store } from '../../../src/store/store.ts';
import { heldOver } from '../../builders/gate.ts';
import { silent } from '../../builders/stores.ts';
import { openPayments, type Payments } from '../transactions/payments-setup.ts';

/** Operations where no rule wants anything approved. */
type Unheld<Service> = {
  [Name in keyof Service]: Service[Name] extends (...given: infer Given) => Promise<infer Answer>
    ? (...given: Given) => Promise<Exclude<Answer, Held>>
    : Service[Name];
};

interface ContractProcess {
  readonly contracts: Unheld<ContractService>;
  readonly driver: ContractDriver;
  readonly approvedContracts: RecordSubject;
  readonly oracles: OracleService;
}

export interface Contracts extends Payments, ContractProcess {
  /** A service as another start would have it; its driver is not started. */
  reopen(given?: { cets?: AdaptorWork; store?: Store; answerMs?: number; offerBounds?: OfferBounds }): ContractProcess;
  /** Two outcomes with the local oracle, of all the collateral, unless said. */
  terms(wallet: WalletRecord, more?: Partial<ContractRequest>): ContractRequest;
  create(wallet: WalletRecord, more?: Partial<ContractRequest>): Promise<ContractView>;
  /** Made, and its funding in a block. */
  confirmed(wallet: WalletRecord, more?: Partial<ContractRequest>): Promise<ContractView>;
  get(contractId: ContractId): Promise<ContractView>;
  /** Its approval, as the last vote leaves it. */
  approved(contract: ContractView): Promise<ApprovalRecord>;
  /** What the channel was told of it, in order. */
  told(contractId: ContractId): Promise<{ status: string; outcome: string | null; retracts: boolean }[]>;
}

const noNetwork: Fetching = {
  problem: () => null,
  async get(): Promise<never> {
    throw new Error('no oracle has a URL here');
  },
};

export async function openContracts({
  fetching = noNetwork,
  ...options
}: Parameters<typeof openPayments>[0] & { fetching?: Fetching } = {}): Promise<Contracts> {
  const payments = await openPayments(options);
  const { store, ground } = payments;
  const { box, clock, randomBytes, seenByService: chain, onTip } = ground;

  function reopen({
    cets = createAdaptorWork({ computing: computeHere({ network: 'regtest', randomBytes }), randomBytes }),
    store: seen = store,
    answerMs = 60_000,
    offerBounds,
  }: Parameters<Contracts['reopen']>[0] = {}): ContractProcess {
    const base = { store: seen, chain, network: 'regtest', clock, randomBytes, log: silent } as const;
    const { parts } = seen === store ? payments.restart() : payments.restart(seen);
    const held = heldOver(seen, parts.gate, clock);
    const oracles = createOracleService({ ...base, held, box, fetching });
    const openKeyRing = createOpenKeyRing({ box });
    const computing = computeHere({ network: 'regtest', randomBytes });
    const own = { oracles, held, parts, openKeyRing, cets, computing, onTip, answerMs, offerBounds };
    const process = createContracts({ ...base, ...own });
    onTestFinished(() => process.driver.stop());
    return { ...process, contracts: process.contracts as Unheld<ContractService>, oracles };
  }

  const process = reopen();
  const terms: Contracts['terms'] = (wallet, more = {}) => ({
    oracles: ['local'],
    outcomes: ['yes', 'no'],
    collateralSats: 1_000_000n,
    walletId: wallet.walletId,
    ...more,
  });
  const create: Contracts['create'] = (wallet, more) =>
    process.contracts.create(terms(wallet, more), payments.context());
  const get: Contracts['get'] = (contractId) => process.contracts.get(contractId, payments.context());

  return {
    ...payments,
    ...process,
    reopen,
    terms,
    create,
    get,
    async approved({ accountId, approvalId }) {
      const end = { status: 'approved', reason: null, closedAt: clock() } as const;
      await store.write((tx) => tx.approvals.close({ accountId, approvalId: approvalId! }, end));
      return (await store.read.approvals.find(accountId, approvalId!))!;
    },
    async confirmed(wallet, more) {
      const { contractId } = await create(wallet, more);
      await payments.mine();
      return get(contractId);
    },
    async told(contractId) {
      for (;;) if ((await store.write((tx) => tx.events.number(1_000))) === 0) break;
      const events = await store.read.events.after(0n, 1_000, { accountId: payments.accountId, channel: 'contracts' });
      return events
        .map((event) => ({ ...JSON.parse(event.data), retracts: event.retractsSeq !== null }))
        .filter((data) => data.contract_id === contractId)
        .map(({ status, outcome, retracts }) => ({ status, outcome, retracts }));
    },
  };
}

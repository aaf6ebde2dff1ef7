/** Confirmed to executed: the CET of what was attested, committed with the contract's outcome, then sent. */
import type { Said } from '../../../core/dlc/contract/cet-deciding.ts';
import type { SignedContractTransaction } from '../../../core/dlc/transactions/contract-transaction.ts';
import { otherSide } from '../../../core/dlc/transactions/funding-coins.ts';
import { DomainError } from '../../../core/errors.ts';
import type { Network } from '../../../core/network.ts';
import type { ContractRecord } from '../../../store/repositories/contract-rows.ts';
import type { Repositories, Store } from '../../../store/store.ts';
import type { OfService, Passed } from '../../policies/gate.ts';
import { commitClosing } from '../contract-transactions.ts';
import { type LoadedContract, loadContract, messageBytes, signaturesOf } from '../load-contract.ts';
import { ownSides, type WithSideKeys } from '../sides/side-keys.ts';
import type { AdaptorWork } from '../signing/adaptor-work.ts';
import type { KnownAttestations } from './attestations.ts';
import { settledOutcomes } from './contract-outcome.ts';

export interface SettlementDependencies {
  readonly store: Store;
  readonly withSideKeys: WithSideKeys;
  readonly cets: Pick<AdaptorWork, 'settle' | 'cetDeciding'>;
  readonly network: Network;
  readonly clock: () => number;
}

export interface BuiltSettlement {
  readonly transaction: SignedContractTransaction;
  /** As the record will have it. */
  readonly outcome: string;
  /** What the oracles that decide attested, the first of them first: numbers of theirs may differ a little. */
  readonly outcomes: readonly string[];
  readonly note: string | null;
}

export function createSettleContract(deps: SettlementDependencies) {
  const { store, withSideKeys, cets } = deps;

  /** By which one of our sides settles it: with the signatures of the other. */
  async function settledBy(loaded: LoadedContract) {
    const { record } = loaded;
    const { accountId, dialect } = record;
    const messages = await messageBytes(store.read, record);
    const side = ownSides(record)[0]!;
    const { cetAdaptorSignatures } = await signaturesOf(store.read, loaded, otherSide(side));
    return { ...messages, accountId, dialect, side, counterpartySignatures: cetAdaptorSignatures };
  }

  return {
    load: (record: ContractRecord) => loadContract(store.read, record),

    /** The CET that `build` signs once this is attested; null where it decides nothing. */
    cetDeciding: async (loaded: LoadedContract, said: readonly Said[]) =>
      cets.cetDeciding({ ...(await settledBy(loaded)), said }),

    /** null where the attestations decide nothing. Throws `contract_refused` where the other side's signature does not open. */
    async build(loaded: LoadedContract, { attestations, equivocation }: KnownAttestations, passed: Passed | OfService) {
      if (attestations.length === 0) return null;
      const { record, offer } = loaded;
      const settling = await settledBy(loaded);
      const settled = await withSideKeys(record, settling.side, passed, ({ fundingPrivateKey }) =>
        cets.settle({ ...settling, attestations, privateKey: fundingPrivateKey }),
      );
      if (settled === null) return null;
      const outcomes = settledOutcomes(offer.contractInfo, settled, attestations);
      return { transaction: settled.transaction, outcome: outcomes[0]!, outcomes, note: equivocation };
    },

    /** In the job of the move, of a contract that is confirmed and not closing: CET inserted, outcome decided. */
    async commit(tx: Repositories, held: ContractRecord, { transaction, outcome, note }: BuiltSettlement) {
      const { network } = deps;
      const commitment = { contract: held, kind: 'cet', transaction, network, now: deps.clock() } as const;
      return { ...(await commitClosing(tx, commitment)), outcome, reason: note };
    },
  };
}

export type SettleContract = ReturnType<typeof createSettleContract>;

/** The outcome of a settlement that stands, against the one that is asked for. Throws `outcome_conflict`. */
export function assertSameOutcome(
  { contractId, status }: ContractRecord,
  settled: readonly string[],
  asked: string,
): void {
  if (settled.includes(asked)) return;
  const said = status === 'confirmed' ? 'is decided by an attestation of' : `is ${status} by`;
  throw new DomainError(
    'outcome_conflict',
    `contract ${contractId} ${said} ${JSON.stringify(settled[0])}, and not by ${JSON.stringify(asked)}`,
    { field: 'outcome' },
  );
}

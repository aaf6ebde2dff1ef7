/**
 * The long work of contracts, with plain data in and out: whoever computes does so in the thread of whoever asks or in another
 * (src/engines/computing), by the same code.
 */
import { parseTransaction } from '../../blocks/transaction.ts';
import type { AdaptorTools } from '../adaptor-signatures/encrypt-sign.ts';
import { encryptionPointsCheck, requireChecks } from '../contract/contract-checks.ts';
import { contractOf } from '../contract/contract-of.ts';
import { contractParts } from '../contract/contract-parts.ts';
import type { CaseRange, DlcContract } from '../contract/dlc-contract.ts';
import { type LearnedCase, learnCase } from '../contract/learn-case.ts';
import type { SettlementKeys } from '../contract/settle.ts';
import { type SettledCase, settleCase } from '../contract/settle-case.ts';
import { sharedPoint } from '../contract/shared-point.ts';
import { signCets, verifyCets } from '../contract/sign-cets.ts';
import type { ContractInfo } from '../contract-info.ts';
import type { Dialect } from '../dialect.ts';
import { parseAccept } from '../messages/accept.ts';
import { parseOffer } from '../messages/offer.ts';
import { parseSign } from '../messages/sign.ts';

/** A contract by its messages, on the wire; of the accept message the accepter's part. */
export interface ContractGiven {
  /** Equal for equal messages and dialect alone: a contract that is known by it is not made again. */
  readonly key: string;
  readonly offer: Uint8Array;
  readonly accept: Uint8Array;
  readonly dialect: Dialect;
}

export interface PointsGiven {
  readonly info: ContractInfo;
  readonly dialect: Dialect;
}

export interface SignGiven {
  readonly contract: ContractGiven;
  readonly range: CaseRange;
  /** Overwritten. */
  readonly privateKey: Uint8Array;
}

export interface VerifyGiven {
  readonly contract: ContractGiven;
  readonly range: CaseRange;
  readonly publicKey: Uint8Array;
  /** Of the range alone. */
  readonly signatures: Uint8Array;
}

export interface SettleGiven extends SettlementKeys {
  readonly contract: ContractGiven;
  /** On the wire. */
  readonly attestations: readonly Uint8Array[];
}

export interface LearnGiven {
  readonly contract: ContractGiven;
  /** Whole, with their signatures, as they are kept. */
  readonly accept: Uint8Array;
  readonly sign: Uint8Array;
  /** With its witnesses. */
  readonly transaction: Uint8Array;
}

/** As many contracts are kept as are worked on at a time. */
export const CONTRACTS_KEPT = 3;

/** The jobs of one thread, which remember the contracts that were worked on last. */
export function createDlcJobs() {
  const kept = new Map<string, DlcContract>();

  function contractIn({ key, offer, accept, dialect }: ContractGiven): DlcContract {
    // Messages that several threads look at are copied before they are read.
    const contract =
      kept.get(key) ??
      contractOf(
        parseOffer(Uint8Array.from(offer), dialect),
        parseAccept(Uint8Array.from(accept), dialect).party,
        dialect,
      );
    // The one that was used last is the last to go.
    kept.delete(key);
    kept.set(key, contract);
    for (const oldest of kept.keys()) {
      if (kept.size <= CONTRACTS_KEPT) break;
      kept.delete(oldest);
    }
    return contract;
  }

  return {
    /** How many adaptor signatures each side makes. Throws `contract_refused` where one attestation opens two of them that pay differently. */
    'dlc.count'({ contract }: { readonly contract: ContractGiven }): number {
      const { parts, caseCount } = contractIn(contract);
      requireChecks([encryptionPointsCheck(sharedPoint(parts))]);
      return caseCount;
    },

    /** Of terms that nobody has accepted yet, which are sound (validateContractInfo). */
    'dlc.points': ({ info, dialect }: PointsGiven): readonly [number, number] | null =>
      sharedPoint(contractParts(info, dialect)),

    /** 162 bytes for each case of the range. */
    'dlc.sign'({ contract, range, privateKey }: SignGiven, { randomBytes }: AdaptorTools): Uint8Array {
      try {
        return signCets(contractIn(contract), privateKey, range, { randomBytes });
      } finally {
        privateKey.fill(0);
      }
    },

    /** The index (among all cases) of the first wrong one, null where none is. */
    'dlc.verify': ({ contract, range, publicKey, signatures }: VerifyGiven): number | null =>
      verifyCets(contractIn(contract), publicKey, signatures, range),

    /** The signed CET of what was attested; null where that decides nothing. The private key is overwritten. */
    'dlc.settle'({ contract, attestations, ...keys }: SettleGiven): SettledCase | null {
      try {
        return settleCase(contractIn(contract), attestations, keys);
      } finally {
        keys.privateKey.fill(0);
      }
    },

    /** What a CET of the other side tells; null where it is none of the contract's. */
    'dlc.learn': ({ contract, accept, sign, transaction }: LearnGiven): LearnedCase | null =>
      learnCase(contractIn(contract), parseTransaction(transaction), (side) =>
        side === 'offer'
          ? parseSign(sign, contract.dialect).cetAdaptorSignatures
          : parseAccept(accept, contract.dialect).cetAdaptorSignatures,
      ),
  };
}

export type DlcJobs = ReturnType<typeof createDlcJobs>;

/**
 * The long work of contracts, with plain data in and out: whoever computes does so in the thread of whoever asks or in another
 * (src/engines/computing), by the same code.
 */
import { parseTransaction } from '../../blocks/transaction.ts';
import { createLru } from '../../lru.ts';
import type { AdaptorTools } from '../adaptor-signatures/encrypt-sign.ts';
import { cetDeciding, type Said } from '../contract/cet-deciding.ts';
import { contractOf } from '../contract/contract-of.ts';
import { type ContractPart, contractParts } from '../contract/contract-parts.ts';
import type { CaseRange, DlcContract } from '../contract/dlc-contract.ts';
import { type LearnedCase, learnCase } from '../contract/learn-case.ts';
import type { SettlementKeys } from '../contract/settle.ts';
import { type SettledCase, settleCase } from '../contract/settle-case.ts';
import { caseCountOf, casePoints, sharedAmong } from '../contract/shared-point.ts';
import { signCets, verifyCets } from '../contract/sign-cets.ts';
import type { Dialect } from '../dialect.ts';
import { parseAccept } from '../messages/accept.ts';
import { parseContractInfo } from '../messages/contract-info.ts';
import { parseOffer } from '../messages/offer.ts';
import { parseSign } from '../messages/sign.ts';
import type { ContractTransaction } from '../transactions/contract-transaction.ts';

/** What is agreed on, be it offered or not: sound (validateContractInfo). */
export interface TermsParams {
  /** Equal for equal terms and dialect alone: what is known by it is not made again. */
  readonly key: string;
  /** On the wire. */
  readonly info: Uint8Array;
  readonly dialect: Dialect;
}

/** A contract by its messages, on the wire; of the accept message the accepter's part. */
export interface ContractParams {
  /** As of its terms. */
  readonly key: string;
  readonly terms: TermsParams;
  readonly offer: Uint8Array;
  readonly accept: Uint8Array;
  readonly dialect: Dialect;
}

export interface PointsParams {
  readonly terms: TermsParams;
  readonly range: CaseRange;
}

export interface SignParams {
  readonly contract: ContractParams;
  readonly range: CaseRange;
  /** Overwritten. */
  readonly privateKey: Uint8Array;
}

export interface VerifyParams {
  readonly contract: ContractParams;
  readonly range: CaseRange;
  readonly publicKey: Uint8Array;
  /** Of the range alone. */
  readonly signatures: Uint8Array;
}

export interface SettleParams extends SettlementKeys {
  readonly contract: ContractParams;
  /** On the wire. */
  readonly attestations: readonly Uint8Array[];
}

export interface CetParams extends Omit<SettlementKeys, 'privateKey'> {
  readonly contract: ContractParams;
  readonly said: readonly Said[];
}

export interface LearnParams {
  readonly contract: ContractParams;
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
  const contracts = createLru<string, DlcContract>(CONTRACTS_KEPT);
  const partsOfTerms = createLru<string, readonly ContractPart[]>(CONTRACTS_KEPT);

  // What several threads look at is copied before it is read.
  const partsIn = ({ key, info, dialect }: TermsParams): readonly ContractPart[] =>
    partsOfTerms.get(key) ??
    partsOfTerms.set(key, contractParts(parseContractInfo(Uint8Array.from(info), dialect), dialect));

  const contractIn = ({ key, terms, offer, accept, dialect }: ContractParams): DlcContract =>
    contracts.get(key) ??
    contracts.set(
      key,
      contractOf(
        parseOffer(Uint8Array.from(offer), dialect),
        parseAccept(Uint8Array.from(accept), dialect).party,
        dialect,
        () => partsIn(terms),
      ),
    );

  return {
    /** How many adaptor signatures each side makes. Throws `contract_refused` where they are too many. */
    'dlc.count': (terms: TermsParams): number => caseCountOf(partsIn(terms)),

    /** casePoints of the range. */
    'dlc.points': ({ terms, range }: PointsParams): Uint8Array => casePoints(partsIn(terms), range),

    /** Given those of all cases. */
    'dlc.shared': (points: Uint8Array): readonly [number, number] | null => sharedAmong(points),

    /** 162 bytes for each case of the range. */
    'dlc.sign'({ contract, range, privateKey }: SignParams, { randomBytes }: AdaptorTools): Uint8Array {
      try {
        return signCets(contractIn(contract), privateKey, range, { randomBytes });
      } finally {
        privateKey.fill(0);
      }
    },

    /** The index (among all cases) of the first wrong one, null where none is. */
    'dlc.verify': ({ contract, range, publicKey, signatures }: VerifyParams): number | null =>
      verifyCets(contractIn(contract), publicKey, signatures, range),

    /** The signed CET of what was attested; null where that decides nothing. The private key is overwritten. */
    'dlc.settle'({ contract, attestations, ...keys }: SettleParams): SettledCase | null {
      try {
        return settleCase(contractIn(contract), attestations, keys);
      } finally {
        keys.privateKey.fill(0);
      }
    },

    /** As core's cetDeciding. */
    'dlc.cet': ({ contract, said, ...signed }: CetParams): ContractTransaction | null =>
      cetDeciding(contractIn(contract), said, signed),

    /** What a CET of the other side tells; null where it is none of the contract's. */
    'dlc.learn': ({ contract, accept, sign, transaction }: LearnParams): LearnedCase | null =>
      learnCase(contractIn(contract), parseTransaction(transaction), (side) =>
        side === 'offer'
          ? parseSign(sign, contract.dialect).cetAdaptorSignatures
          : parseAccept(accept, contract.dialect).cetAdaptorSignatures,
      ),
  };
}

export type DlcJobs = ReturnType<typeof createDlcJobs>;

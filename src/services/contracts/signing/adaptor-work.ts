/** A contract's adaptor signatures made and verified in worker threads, in parts whose size is told by the time they take. */
import { hash } from 'node:crypto';
import { parseTransaction } from '../../../core/blocks/transaction.ts';
import { ADAPTOR_SIGNATURE_BYTES } from '../../../core/dlc/adaptor-signatures/serialization.ts';
import { cetDeciding, type Said } from '../../../core/dlc/contract/cet-deciding.ts';
import { encryptionPointsCheck, requireChecks } from '../../../core/dlc/contract/contract-checks.ts';
import { contractOf } from '../../../core/dlc/contract/contract-of.ts';
import type { DlcContract } from '../../../core/dlc/contract/dlc-contract.ts';
import { learnCase } from '../../../core/dlc/contract/learn-case.ts';
import type { SettlementKeys } from '../../../core/dlc/contract/settle.ts';
import { settleCase } from '../../../core/dlc/contract/settle-case.ts';
import { sharedPoint as partsShare } from '../../../core/dlc/contract/shared-point.ts';
import { signCets, verifyCets } from '../../../core/dlc/contract/sign-cets.ts';
import type { ContractInfo } from '../../../core/dlc/contract-info.ts';
import type { Dialect } from '../../../core/dlc/dialect.ts';
import type { AcceptMessage, OfferMessage } from '../../../core/dlc/dlc-messages.ts';
import { CONTRACTS_KEPT, type ContractParams, type DlcJobs } from '../../../core/dlc/jobs/dlc-jobs.ts';
import { isSmall } from '../../../core/dlc/jobs/is-small.ts';
import { parseAccept, serializeAccept } from '../../../core/dlc/messages/accept.ts';
import { parseOffer } from '../../../core/dlc/messages/offer.ts';
import { parseSign } from '../../../core/dlc/messages/sign.ts';
import { DomainError } from '../../../core/errors.ts';
import type { AccountId } from '../../../core/ids.ts';
import type { LongComputing } from '../../../engines/computing/computing.ts';
import { createFairQueue } from '../../../scheduling/fair-queue.ts';
import { inParts, type Part } from './in-parts.ts';
import { retryUnavailable } from './retry-unavailable.ts';
import { createSharedPoints, givenTerms, inSharedMemory } from './shared-points.ts';

export interface CetMessages {
  /** Whose contract it is: accounts come in turn. */
  readonly accountId: AccountId;
  /** On the wire; the accept message may be without signatures. */
  readonly offer: Uint8Array;
  readonly accept: Uint8Array;
  readonly dialect: Dialect;
  /** Signatures done, which grows, of all. */
  readonly onProgress?: ((done: number, total: number) => void) | undefined;
  /** Rejects with its reason. */
  readonly signal?: AbortSignal | undefined;
}

export interface AdaptorWorkDependencies {
  readonly computing: LongComputing<DlcJobs>;
  readonly randomBytes: (size: number) => Uint8Array;
  /** A contract of no more signatures is worked on at once by whoever asks: some 10 ms. */
  readonly small?: number;
}

/** A signature takes a quarter of a millisecond and more. */
const SMALL = 24;

export function createAdaptorWork({ computing, randomBytes, small = SMALL }: AdaptorWorkDependencies) {
  // Workers keep as many contracts in mind: more at a time, and each part would begin by making its contract again.
  const queue = createFairQueue({ all: CONTRACTS_KEPT, ofAccount: CONTRACTS_KEPT - 1 });

  const sharedPoint = createSharedPoints({ computing, queue, small });

  /**
   * Runs `one` on every part of the contract, a few at a time. `one` may end it by its answer. Throws `contract_refused` before it, where
   * one attestation opens two CETs that pay differently.
   */
  async function throughAll(
    messages: CetMessages,
    offered: OfferMessage,
    one: (contract: ContractParams, part: Part) => Promise<{ tookMs: number; stop: boolean }>,
    begin: (total: number) => void,
  ): Promise<void> {
    const { accountId, dialect, signal, onProgress } = messages;
    const { contractInfo: info } = offered;
    const contract = givenContract(messages, info);
    requireChecks([encryptionPointsCheck(await sharedPoint({ accountId, info, dialect, signal }))]);
    await queue.take({ accountId, signal }, async () => {
      const { made: total } = await retryUnavailable(() =>
        computing.runPart('dlc.count', contract.terms, { accountId, signal }),
      );
      begin(total);
      await inParts((part) => retryUnavailable(() => one(contract, part)), {
        total,
        atOnce: computing.parallel + 1,
        signal,
        onProgress,
      });
    });
  }

  return {
    /** As core's, of sound terms (validateContractInfo), be they offered or not. Rejects with the signal's reason. */
    sharedPoint,

    /** 162 bytes each, in the contract's order. The key is copied; the caller zeroes its own. */
    async signAllCets({ privateKey, ...messages }: CetMessages & { readonly privateKey: Uint8Array }) {
      const offered = offerIn(messages);
      const here = smallDistinct(messages, offered, small);
      if (here !== null) {
        const signatures = signCets(here, privateKey, { from: 0, to: here.caseCount }, { randomBytes });
        messages.onProgress?.(here.caseCount, here.caseCount);
        return signatures;
      }
      const { accountId } = messages;
      const key = Uint8Array.from(privateKey);
      let signatures = new Uint8Array(0);
      try {
        await throughAll(
          messages,
          offered,
          async (contract, { signal, ...range }) => {
            // Each part takes a copy with it, and overwrites it there.
            const copy = Uint8Array.from(key);
            try {
              const given = { contract, range, privateKey: copy };
              const { made, tookMs } = await computing.runPart('dlc.sign', given, {
                accountId,
                transfer: [copy],
                signal,
              });
              signatures.set(made, range.from * ADAPTOR_SIGNATURE_BYTES);
              return { tookMs, stop: false };
            } finally {
              if (copy.length > 0) copy.fill(0);
            }
          },
          (total) => {
            signatures = new Uint8Array(total * ADAPTOR_SIGNATURE_BYTES);
          },
        );
        return signatures;
      } finally {
        key.fill(0);
      }
    },

    /** The first one that is wrong, by index. Throws `contract_refused` where there are too few or too many. */
    async verifyAllCets({
      publicKey,
      signatures,
      ...messages
    }: CetMessages & { readonly publicKey: Uint8Array; readonly signatures: Uint8Array }): Promise<
      { valid: true } | { valid: false; index: number }
    > {
      const offered = offerIn(messages);
      const here = smallDistinct(messages, offered, small);
      if (here !== null) {
        requireCount(signatures, here.caseCount);
        const index = verifyCets(here, publicKey, signatures, { from: 0, to: here.caseCount });
        messages.onProgress?.(here.caseCount, here.caseCount);
        return index === null ? { valid: true } : { valid: false, index };
      }
      const { accountId } = messages;
      let first = Number.POSITIVE_INFINITY;
      await throughAll(
        messages,
        offered,
        async (contract, { signal, ...range }) => {
          const bytes = Uint8Array.from(
            signatures.subarray(range.from * ADAPTOR_SIGNATURE_BYTES, range.to * ADAPTOR_SIGNATURE_BYTES),
          );
          const given = { contract, range, publicKey, signatures: bytes };
          const { made, tookMs } = await computing.runPart('dlc.verify', given, {
            accountId,
            transfer: [bytes],
            signal,
          });
          // What is under way before it may still find an earlier one.
          if (made !== null) first = Math.min(first, made);
          return { tookMs, stop: made !== null };
        },
        (total) => requireCount(signatures, total),
      );
      return first === Number.POSITIVE_INFINITY ? { valid: true } : { valid: false, index: first };
    },

    /** The signed CET of what `attestations` (on the wire) decide; null where that is nothing. The key is copied. Throws as core's `settle`. */
    async settle({
      attestations,
      side,
      privateKey,
      counterpartySignatures,
      ...messages
    }: CetMessages & SettlementKeys & { readonly attestations: readonly Uint8Array[] }) {
      const offered = offerIn(messages);
      const here = smallContract(messages, offered, small);
      if (here !== null) return settleCase(here, attestations, { side, privateKey, counterpartySignatures });
      const contract = givenContract(messages, offered.contractInfo);
      const { accountId, signal } = messages;
      return retryUnavailable(async () => {
        const copy = Uint8Array.from(privateKey);
        try {
          const given = { contract, attestations, side, privateKey: copy, counterpartySignatures };
          return (await computing.runPart('dlc.settle', given, { accountId, transfer: [copy], signal })).made;
        } finally {
          if (copy.length > 0) copy.fill(0);
        }
      });
    },

    /** The unsigned CET that what the oracles say decides; null where that is nothing. */
    async cetDeciding({
      said,
      side,
      counterpartySignatures,
      ...messages
    }: CetMessages & Omit<SettlementKeys, 'privateKey'> & { readonly said: readonly Said[] }) {
      const offered = offerIn(messages);
      const here = smallContract(messages, offered, small);
      const signed = { side, counterpartySignatures };
      if (here !== null) return cetDeciding(here, said, signed);
      const given = { contract: givenContract(messages, offered.contractInfo), said, ...signed };
      const { accountId, signal } = messages;
      return retryUnavailable(async () => (await computing.runPart('dlc.cet', given, { accountId, signal })).made);
    },

    /** What a CET (`transaction`, with its witnesses) of the other side tells; null where it is none. The accept message with its signatures. */
    async learn({
      sign,
      transaction,
      ...messages
    }: CetMessages & { readonly sign: Uint8Array; readonly transaction: Uint8Array }) {
      const { accountId, accept, dialect, signal } = messages;
      const offered = offerIn(messages);
      const here = smallContract(messages, offered, small);
      if (here !== null) {
        return learnCase(here, parseTransaction(transaction), (side) =>
          side === 'offer'
            ? parseSign(sign, dialect).cetAdaptorSignatures
            : parseAccept(accept, dialect).cetAdaptorSignatures,
        );
      }
      const given = { contract: givenContract(messages, offered.contractInfo), accept, sign, transaction };
      return retryUnavailable(async () => (await computing.runPart('dlc.learn', given, { accountId, signal })).made);
    },
  };
}

export type AdaptorWork = ReturnType<typeof createAdaptorWork>;

/** Rejects what is given up. */
function offerIn({ offer, dialect, signal }: CetMessages): OfferMessage {
  signal?.throwIfAborted();
  return parseOffer(offer, dialect);
}

const smallContract = ({ accept, dialect }: CetMessages, offered: OfferMessage, most: number): DlcContract | null =>
  isSmall(offered.contractInfo, most) ? contractOf(offered, parseAccept(accept, dialect).party, dialect) : null;

/** The same, before anything is signed or believed of it. Throws `contract_refused` as of larger ones. */
function smallDistinct(messages: CetMessages, offered: OfferMessage, most: number): DlcContract | null {
  const contract = smallContract(messages, offered, most);
  if (contract !== null) requireChecks([encryptionPointsCheck(partsShare(contract.parts))]);
  return contract;
}

/** The accepter's part alone, so that a contract is the same before and after it is signed; in memory that threads share. */
function givenContract({ offer, accept, dialect }: CetMessages, info: ContractInfo): ContractParams {
  const party = serializeAccept(unsigned(parseAccept(accept, dialect)), dialect);
  const parts = [Buffer.from(dialect), hash('sha256', offer, 'buffer'), hash('sha256', party, 'buffer')];
  return {
    key: hash('sha256', Buffer.concat(parts), 'hex'),
    terms: givenTerms(info, dialect),
    offer: inSharedMemory(offer),
    accept: inSharedMemory(party),
    dialect,
  };
}

const unsigned = (accept: AcceptMessage): AcceptMessage => ({
  ...accept,
  cetAdaptorSignatures: new Uint8Array(0),
  refundSignature: new Uint8Array(64),
  negotiationFields: null,
  tlvs: new Uint8Array(0),
});

function requireCount(signatures: Uint8Array, cases: number): void {
  const wanted = cases * ADAPTOR_SIGNATURE_BYTES;
  if (signatures.length !== wanted) {
    throw new DomainError(
      'contract_refused',
      `adaptor_signature_count: ${cases} cases need ${wanted} bytes of adaptor signatures, not ${signatures.length}`,
    );
  }
}

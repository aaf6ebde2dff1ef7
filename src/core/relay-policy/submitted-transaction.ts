/** A transaction that somebody made elsewhere, read before it is handed over: from plain data to plain data, so that it runs in any thread. */
import { formatBtc } from '../amount.ts';
import { type ParsedTransaction, parseTransaction, wtxidOf } from '../blocks/transaction.ts';
import { transactionFromHex } from '../blocks/transaction-hex.ts';
import { DomainError } from '../errors.ts';
import { psbtFromText } from '../psbt/codec/psbt-text.ts';
import { asVersion2 } from '../psbt/construction/migrate.ts';
import { extractTransaction } from '../psbt/finalizing/extract-transaction.ts';
import { isBurnt } from './burnt-outputs.ts';

export interface SubmissionParams {
  /** Serialized, in hex; a PSBT where `field` is psbt. */
  readonly text: string;
  readonly maxBurnSats: bigint;
  /** Of the request, for what is wrong with it. */
  readonly field: 'transaction' | 'raw' | 'psbt';
}

/**
 * Throws `invalid_transaction` at `field`, `invalid_psbt`, `psbt_incomplete` and `too_large` of a PSBT, and `policy_refused` where an output
 * burns more than `maxBurnSats`.
 */
function readSubmission({ text, maxBurnSats, field }: SubmissionParams) {
  const transaction =
    field === 'psbt'
      ? parseTransaction(extractTransaction(asVersion2(psbtFromText(text))).raw)
      : transactionFromHex(text, field);
  refuseBurning(transaction, maxBurnSats);
  const { raw, txid, vsize } = transaction;
  return { raw, txid, wtxid: wtxidOf(transaction), vsize };
}

/** Bitcoin Core's maxburnamount. */
function refuseBurning({ outputs }: ParsedTransaction, maxBurnSats: bigint): void {
  const vout = outputs.findIndex(
    ({ amountSats, scriptPubKey }) => amountSats > maxBurnSats && isBurnt(Buffer.from(scriptPubKey, 'hex')),
  );
  const burnt = outputs[vout];
  if (!burnt) return;
  throw new DomainError(
    'policy_refused',
    `output ${vout} gives ${formatBtc(burnt.amountSats)} BTC to nobody: say so by max_burn_amount if that is meant`,
    { field: 'max_burn_amount' },
  );
}

/** What the workers do of transactions. */
export const submissionJobs = { 'transaction.read': readSubmission };
export type SubmissionJobs = typeof submissionJobs;

/** Read within a millisecond or two. */
export const isShortTransaction = ({ text }: SubmissionParams): boolean => text.length <= 8_192;

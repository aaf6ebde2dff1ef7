import { Transaction } from 'bitcoinjs-lib';
import { formatBtc } from '../../core/amount.ts';
import { hex } from '../../core/bytes.ts';
import { DomainError } from '../../core/errors.ts';
import { displayHash } from '../../core/outpoint.ts';
import type { BroadcastVerdict, ChainSource } from '../chain-source.ts';
import { type PackageAnswer, packageCause, packageParts } from '../package-verdict.ts';
import { refused, rejectMeaning, verdictOf } from '../reject-reasons.ts';
import type { RpcCall, RpcClient } from './rpc-client.ts';
import { RPC, type RpcError } from './rpc-error.ts';
import { resultOf } from './rpc-results.ts';

interface LookupAnswer {
  blockhash?: string;
  confirmations?: number;
  vout: unknown[];
}
interface MempoolAcceptAnswer {
  allowed?: boolean;
  'reject-reason'?: string;
  'reject-details'?: string;
  'package-error'?: string;
}

const MAX_FEE_EXCEEDED = /max-fee-exceeded|fee exceeds maximum configured/i;

/** Fees are this service's business (max_fee): the node's own cap is off. */
const NO_MAX_FEE_RATE = 0;
const DECODE_FAILED = refused('TX decode failed: these bytes are no transaction', true);

/** Hands transactions to the node and reads its verdicts. */
export function createBroadcaster(rpc: RpcClient): Pick<ChainSource, 'broadcast' | 'broadcastPackage' | 'testAccept'> {
  async function verdict(transaction: Transaction, message: string): Promise<BroadcastVerdict> {
    return rejectMeaning(message) === 'missing inputs' ? missingInputs(transaction, message) : verdictOf(message);
  }

  /**
   * Inputs are missing for one of three reasons: the transaction itself is confirmed and its outputs are spent (known); a coin is spent
   * by another confirmed transaction, or its parent has no such output (final); the parent has not arrived here yet (not final).
   */
  async function missingInputs(transaction: Transaction, message: string): Promise<BroadcastVerdict> {
    const lookup = (txid: string): RpcCall => ({ method: 'getrawtransaction', params: [txid, 1] });
    const inputs = transaction.ins.map((input) => ({ txid: displayHash(input.hash), vout: input.index }));
    const outcomes = await rpc.batch([
      { method: 'getblockchaininfo' },
      ...inputs.flatMap(({ txid, vout }) => [{ method: 'gettxout', params: [txid, vout, true] }, lookup(txid)]),
      // Last: if it was not confirmed by now, it was not what spent the inputs looked at before.
      lookup(transaction.getId()),
    ]);
    const chain = resultOf<{ chain: string; initialblockdownload: boolean }>(outcomes[0]);
    if (chain.initialblockdownload && chain.chain !== 'regtest') {
      throw new DomainError('node_syncing', 'the Bitcoin node is in initial download and knows too few coins to judge');
    }
    const itself = outcomes.at(-1)?.result as LookupAnswer | null;
    if (itself && (!itself.blockhash || (itself.confirmations ?? 0) > 0)) return { result: 'known' };
    for (const [position, { txid, vout }] of inputs.entries()) {
      if (outcomes[1 + 2 * position]?.result) continue;
      const parent = outcomes[2 + 2 * position]?.result as LookupAnswer | null | undefined;
      if (!parent) continue;
      if (vout >= parent.vout.length) return refused(`${message}: ${txid} has no output ${vout}`, true);
      if (parent.blockhash && (parent.confirmations ?? 0) > 0) {
        return refused(`${message}: ${txid}:${vout} is spent by a confirmed transaction`, true);
      }
    }
    return refused(message, false);
  }

  return {
    async broadcast(raw, { maxFeeRate } = {}) {
      const transaction = decode(raw);
      if (!transaction) return DECODE_FAILED;
      const [before, sent] = await rpc.batch([
        // Core accepts again what it has already: asking first tells the two apart.
        { method: 'getmempoolentry', params: [transaction.getId()] },
        {
          method: 'sendrawtransaction',
          params: [hex(raw), maxFeeRate === undefined ? NO_MAX_FEE_RATE : formatBtc(maxFeeRate)],
        },
      ]);
      if (!sent?.error) {
        resultOf(sent);
        return before?.error ? { result: 'accepted' } : { result: 'known' };
      }
      if (sent.error.code === RPC.alreadyInUtxoSet) return { result: 'known' };
      if (maxFeeRate !== undefined && MAX_FEE_EXCEEDED.test(sent.error.message))
        return refused('max-fee-exceeded', false);
      return verdict(transaction, sent.error.message);
    },

    async broadcastPackage(raws) {
      const transactions = raws.map(decode).filter((transaction) => transaction !== null);
      if (transactions.length < raws.length) return DECODE_FAILED;
      const [submitted, ...before] = (
        await rpc.batch([
          ...transactions.map((transaction) => ({ method: 'getmempoolentry', params: [idOf(transaction)] })),
          { method: 'submitpackage', params: [raws.map(hex), NO_MAX_FEE_RATE] },
        ])
      ).toReversed();
      if (submitted?.error) return packageRefusal(submitted.error);
      const answer = resultOf<PackageAnswer>(submitted);
      const cause = packageCause(answer.package_msg, packageParts(transactions.map(idOf), answer));
      if (!cause) return { result: before.every((outcome) => !outcome.error) ? 'known' : 'accepted' };
      const transaction = transactions.find((candidate) => idOf(candidate) === cause.txid);
      return transaction ? verdict(transaction, cause.error) : verdictOf(cause.error);
    },

    async testAccept(raw) {
      const transaction = decode(raw);
      if (!transaction) return DECODE_FAILED;
      const [outcome] = await rpc.batch([{ method: 'testmempoolaccept', params: [[hex(raw)], NO_MAX_FEE_RATE] }]);
      if (outcome?.error?.code === RPC.deserializationError) return refused(outcome.error.message, true);
      const [answer] = resultOf<MempoolAcceptAnswer[]>(outcome);
      if (answer?.allowed) return { result: 'accepted' };
      return verdict(
        transaction,
        answer?.['reject-details'] ??
          answer?.['reject-reason'] ??
          answer?.['package-error'] ??
          'refused without a reason',
      );
    },
  };
}

function packageRefusal(error: RpcError): BroadcastVerdict {
  if (error.code === RPC.methodNotFound) {
    throw new DomainError(
      'source_incapable',
      'this Bitcoin node cannot take packages (submitpackage: Bitcoin Core 26 and later)',
    );
  }
  return verdictOf(error.message);
}

const idOf = (transaction: Transaction): string => transaction.getId();

function decode(raw: Uint8Array): Transaction | null {
  try {
    return Transaction.fromBuffer(raw);
  } catch {
    return null;
  }
}

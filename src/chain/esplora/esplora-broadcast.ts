import { Transaction } from 'bitcoinjs-lib';
import { hex } from '../../core/bytes.ts';
import { DomainError } from '../../core/errors.ts';
import { type FeeRate, feeFor } from '../../core/fee-rate.ts';
import { displayHash } from '../../core/outpoint.ts';
import type { BroadcastVerdict, ChainSource } from '../chain-source.ts';
import { parseExactJson } from '../exact-json.ts';
import { mempoolAcceptResults, type MempoolAcceptAnswer as PackageTestAnswer, undecodable } from '../mempool-accept.ts';
import { type PackageAnswer, packageCause, packageParts } from '../package-verdict.ts';
import { refused, rejectMeaning, verdictOf } from '../reject-reasons.ts';
import { type EsploraClient, EsploraRefusal } from './esplora-client.ts';
import { liveTransaction } from './esplora-mempool.ts';
import { mapLimited } from './map-limited.ts';
import type { EsploraOutspend, EsploraTransaction } from './wire.ts';

interface MempoolAcceptAnswer {
  allowed?: boolean;
  'reject-reason'?: string;
}

const PARALLEL = 8;
const cannotTest = () =>
  new DomainError(
    'source_incapable',
    'the Esplora server cannot test a transaction without sending it (POST /txs/test)',
  );
const DECODE_FAILED = refused('TX decode failed: these bytes are no transaction', true);

/** Hands transactions to the server's node and reads its verdicts, which come as text around the node's own words. */
export function createEsploraBroadcast(
  client: EsploraClient,
): Pick<ChainSource, 'broadcast' | 'broadcastPackage' | 'testAccept' | 'testTogether'> {
  async function verdict(transaction: Transaction, message: string): Promise<BroadcastVerdict> {
    return rejectMeaning(message) === 'missing inputs' ? missingInputs(transaction, message) : verdictOf(message);
  }

  /** As with a node: confirmed itself (known), its coin spent for good or never there (final), or the parent not here yet. */
  async function missingInputs(transaction: Transaction, message: string): Promise<BroadcastVerdict> {
    const id = transaction.getId();
    for (const input of transaction.ins) {
      const parentId = displayHash(input.hash);
      const parent = await client.json<EsploraTransaction>(`/tx/${parentId}`);
      if (!parent) continue;
      if (input.index >= parent.vout.length)
        return refused(`${message}: ${parentId} has no output ${input.index}`, true);
      const spend = await client.json<EsploraOutspend>(`/tx/${parentId}/outspend/${input.index}`);
      if (!spend?.spent || !spend.status?.confirmed) continue;
      if (spend.txid === id) return { result: 'known' };
      return refused(`${message}: ${parentId}:${input.index} is spent by a confirmed transaction`, true);
    }
    return refused(message, false);
  }

  /** The server's own node has a limit that nobody can set from here: ours is looked after before. */
  async function paysAbove(transaction: Transaction, maxFeeRate: FeeRate): Promise<boolean> {
    const ids = [...new Set(transaction.ins.map((input) => displayHash(input.hash)))];
    const parents = await mapLimited(ids, PARALLEL, (id) => client.json<EsploraTransaction>(`/tx/${id}`));
    const outputsOf = new Map(ids.map((id, index) => [id, parents[index]?.vout]));
    let feeSats = 0n;
    for (const input of transaction.ins) {
      const output = outputsOf.get(displayHash(input.hash))?.[input.index];
      // The server will say that it is missing.
      if (!output) return false;
      feeSats += BigInt(output.value);
    }
    for (const output of transaction.outs) feeSats -= output.value;
    return feeSats > feeFor(maxFeeRate, transaction.virtualSize());
  }

  return {
    async broadcast(raw, { maxFeeRate } = {}) {
      const transaction = decode(raw);
      if (!transaction) return DECODE_FAILED;
      const before = await liveTransaction(client, transaction.getId());
      if (!before && maxFeeRate !== undefined && (await paysAbove(transaction, maxFeeRate)))
        return refused('max-fee-exceeded', false);
      try {
        if ((await client.post('/tx', hex(raw))) === null) {
          throw new DomainError('unavailable', 'the Esplora server takes no transactions');
        }
        return { result: before ? 'known' : 'accepted' };
      } catch (error) {
        if (!(error instanceof EsploraRefusal)) throw error;
        return verdict(transaction, nodeMessage(error.message));
      }
    },

    async broadcastPackage(raws) {
      const decoded = raws.map(decode).filter((transaction) => transaction !== null);
      if (decoded.length < raws.length) return DECODE_FAILED;
      const before = await mapLimited(decoded, PARALLEL, (one) => liveTransaction(client, idOf(one)));
      let text: string | null;
      try {
        text = await client.post('/txs/package?maxfeerate=0', JSON.stringify(raws.map(hex)));
      } catch (error) {
        if (!(error instanceof EsploraRefusal)) throw error;
        return verdictOf(nodeMessage(error.message));
      }
      if (text === null)
        throw new DomainError('source_incapable', 'the Esplora server takes no packages (POST /txs/package)');
      const answer = JSON.parse(text) as PackageAnswer;
      const cause = packageCause(answer.package_msg, packageParts(decoded.map(idOf), answer));
      if (!cause) return { result: before.every(Boolean) ? 'known' : 'accepted' };
      const transaction = decoded.find((candidate) => idOf(candidate) === cause.txid);
      return transaction ? verdict(transaction, cause.error) : verdictOf(cause.error);
    },

    async testTogether(raws) {
      let text: string | null;
      try {
        text = await client.post('/txs/test?maxfeerate=0', JSON.stringify(raws.map(hex)));
      } catch (error) {
        if (!(error instanceof EsploraRefusal)) throw error;
        throw undecodable(nodeMessage(error.message));
      }
      if (text === null) throw cannotTest();
      return mempoolAcceptResults(parseExactJson(text) as PackageTestAnswer[]);
    },

    async testAccept(raw) {
      const transaction = decode(raw);
      if (!transaction) return DECODE_FAILED;
      let text: string | null;
      try {
        text = await client.post('/txs/test?maxfeerate=0', JSON.stringify([hex(raw)]));
      } catch (error) {
        if (!(error instanceof EsploraRefusal)) throw error;
        return verdict(transaction, nodeMessage(error.message));
      }
      if (text === null) throw cannotTest();
      const [answer] = JSON.parse(text) as MempoolAcceptAnswer[];
      if (answer?.allowed) return { result: 'accepted' };
      return verdict(transaction, answer?.['reject-reason'] ?? 'refused without a reason');
    },
  };
}

/** The node's words inside `sendrawtransaction RPC error: {"code":-26,"message":"…"}` or `… RPC error -26: …`. */
function nodeMessage(text: string): string {
  const quoted = /"message"\s*:\s*"((?:[^"\\]|\\.)*)"/.exec(text)?.[1];
  if (quoted !== undefined) return quoted.replace(/\\(.)/g, '$1');
  return text.replace(/^.*RPC error:?\s*(-?\d+:)?\s*/s, '');
}

const idOf = (transaction: Transaction): string => transaction.getId();

function decode(raw: Uint8Array): Transaction | null {
  try {
    return Transaction.fromBuffer(raw);
  } catch {
    return null;
  }
}

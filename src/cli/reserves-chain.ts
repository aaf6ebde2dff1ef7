/** Asks a node or an Esplora server whether the coins of a report are there and unspent. */
import { createBitcoindSource } from '../chain/bitcoind/create-bitcoind-source.ts';
import type { ChainSource } from '../chain/chain-source.ts';
import { createEsploraSource } from '../chain/esplora/create-esplora-source.ts';
import { formatBtc } from '../core/amount.ts';
import { type DomainError, isWithoutAnswer } from '../core/errors.ts';
import type { ClaimedOutput } from '../core/messages/message-verdict.ts';
import type { Network } from '../core/network.ts';
import { type BlockHash, outpointKey } from '../core/outpoint.ts';
import { ReservesRefused } from '../core/reserves/reserves-refused.ts';
import type { VerifiedReserves } from '../core/reserves/verify-reserves.ts';
import { UsageError } from './usage-error.ts';

const AT_ONCE = 16;
const SILENT = { info() {}, warn() {} };

/** What answers there: Bitcoin Core's RPC, or else Esplora. */
export async function openSource(url: string, cookieFile: string | undefined, network: Network): Promise<ChainSource> {
  if (!/^https?:$/.test(URL.parse(url)?.protocol ?? ''))
    throw new UsageError('--chain must be a URL, such as http://user:password@127.0.0.1:8332 or https://host/api');
  const options = { network, log: SILENT };
  const failures: string[] = [];
  for (const [name, open] of [
    ['Bitcoin Core', () => createBitcoindSource({ ...options, rpcUrl: url, ...(cookieFile && { cookieFile }) })],
    ['Esplora', () => createEsploraSource({ ...options, url })],
  ] as const) {
    const source = open();
    try {
      const info = await source.info();
      if (info.network !== network) throw new UsageError(`--chain is on ${info.network}, and the report on ${network}`);
      return source;
    } catch (error) {
      await source.close();
      if (error instanceof UsageError) throw error;
      failures.push(`${name}: ${(error as Error).message}`);
    }
  }
  throw new UsageError(`--chain answers neither as Bitcoin Core nor as Esplora (${failures.join('; ')})`);
}

/** `spent`: `at` is when, null where the source cannot say. */
type Found = { state: 'unspent' | 'spent_since' } | { state: 'missing'; reason: string };

/** Throws ReservesRefused where the block is not in the chain. */
export async function checkUnspent(
  source: ChainSource,
  { report, claims }: VerifiedReserves,
  progress: (done: number, total: number) => void,
) {
  const { height, hash } = report.block;
  if ((await source.blockHashAt(height)) !== hash)
    throw new ReservesRefused(`the chain has another block at height ${height}`, 'block');
  const found: Found[] = [];
  for (let at = 0; at < claims.length; at += AT_ONCE) {
    found.push(...(await Promise.all(claims.slice(at, at + AT_ONCE).map((one) => lookUp(source, one, height)))));
    progress(found.length, claims.length);
  }
  const missing = claims.flatMap((claim, at) => {
    const one = found[at]!;
    return one.state === 'missing' ? [{ output: outpointKey(claim.outpoint), problem: one.reason }] : [];
  });
  const since = claims.filter((_, at) => found[at]!.state === 'spent_since');
  return {
    unspent: missing.length > 0 ? 'not_all' : 'all',
    /** After the block of the report: they were there when it was made. */
    spent_since: {
      coins: since.length,
      amount: formatBtc(since.reduce((sum, one) => sum + one.output.amountSats, 0n)),
    },
    missing,
  } as const;
}

async function lookUp(source: ChainSource, claim: ClaimedOutput, height: number): Promise<Found> {
  const coin = await source.utxo(claim.outpoint);
  if (coin === null) return whenSpent(source, claim, height);
  return isOther(coin, claim, height) ?? { state: 'unspent' };
}

/** Where the source tells who spent it, and in which block. */
async function whenSpent(source: ChainSource, claim: ClaimedOutput, height: number): Promise<Found> {
  const missing = { state: 'missing', reason: 'it is spent, or never was' } as const;
  try {
    const output = await source.outputStatus(claim.outpoint);
    if (output === null) return missing;
    const other = isOther(output, claim, height);
    if (other !== null) return other;
    const by = output.spent?.by;
    if (by === null) return { state: 'missing', reason: 'it is spent, and this source does not know since when' };
    const spentAt = by?.blockHash ? await heightOf(source, by.blockHash) : null;
    if (spentAt === null || spentAt > height) return { state: 'spent_since' };
    return { state: 'missing', reason: `it was spent in block ${spentAt}` };
  } catch (error) {
    if (!isWithoutAnswer(error)) throw error;
    return { ...missing, reason: `${missing.reason} (${(error as DomainError).message})` };
  }
}

const heightOf = async (source: ChainSource, hash: BlockHash): Promise<number | null> =>
  (await source.header(hash))?.height ?? null;

function isOther(
  { amountSats, scriptPubKey, height }: { amountSats: bigint; scriptPubKey: string; height: number | null },
  { output }: ClaimedOutput,
  limit: number,
): Found | null {
  if (amountSats !== output.amountSats || scriptPubKey !== output.scriptPubKey)
    return { state: 'missing', reason: `the chain has another amount or script there: ${formatBtc(amountSats)} BTC` };
  if (height === null || height > limit)
    return { state: 'missing', reason: 'it is not in a block up to that of the report' };
  return null;
}

import { parseHeader, serializeHeader } from '../../core/blocks/header.ts';
import { DomainError } from '../../core/errors.ts';
import { type BlockHash, blockHash } from '../../core/outpoint.ts';
import type { HeaderRecord } from '../chain-source.ts';
import { type HeaderAnswer, headerInfo } from './block-reader.ts';
import type { RpcClient } from './rpc-client.ts';
import { RPC } from './rpc-error.ts';
import { resultOrNull } from './rpc-results.ts';

interface WholeHeaderAnswer extends HeaderAnswer {
  version: number;
  merkleroot: string;
  /** hex */
  bits: string;
  nonce: number;
  nTx?: number;
}

const BATCH = 500;

export async function readHeaderRecords(
  rpc: RpcClient,
  hashes: readonly BlockHash[],
): Promise<(HeaderRecord | null)[]> {
  const records: (HeaderRecord | null)[] = [];
  for (let at = 0; at < hashes.length; at += BATCH) {
    const chunk = hashes.slice(at, at + BATCH);
    const outcomes = await rpc.batch(chunk.map((hash) => ({ method: 'getblockheader', params: [hash, true] })));
    for (const outcome of outcomes) {
      const answer = resultOrNull<WholeHeaderAnswer>(outcome, RPC.invalidAddressOrKey);
      records.push(answer && recordOf(answer));
    }
  }
  return records;
}

/** The header's bytes from its fields: one call instead of two, and its hash tells whether they are right. */
function recordOf(answer: WholeHeaderAnswer): HeaderRecord {
  const info = headerInfo(answer);
  const header = serializeHeader({
    version: answer.version,
    prevHash: info.prevHash,
    merkleRoot: answer.merkleroot,
    time: answer.time,
    bits: Number.parseInt(answer.bits, 16),
    nonce: answer.nonce,
  });
  if (parseHeader(header).hash !== blockHash(answer.hash))
    throw new DomainError('unavailable', `the Bitcoin node's header of ${answer.hash} has another hash`);
  // A node that has the header only says 0.
  return { ...info, header, transactionCount: answer.nTx || null };
}

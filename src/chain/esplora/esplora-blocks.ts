import { parseHeader, serializeHeader } from '../../core/blocks/header.ts';
import { DomainError } from '../../core/errors.ts';
import { type BlockHash, blockHash } from '../../core/outpoint.ts';
import type { ChainInfo, ChainSource, HeaderInfo, HeaderRecord, RawBlock } from '../chain-source.ts';
import { networkOfGenesis } from '../genesis.ts';
import { type EsploraClient, EsploraRefusal } from './esplora-client.ts';
import { mapLimited } from './map-limited.ts';
import type { EsploraBlock } from './wire.ts';

const NO_PARENT = '0'.repeat(64) as BlockHash;
const PARALLEL = 8;

type EsploraBlocks = Pick<
  ChainSource,
  'info' | 'bestBlockHash' | 'blockHashAt' | 'blockHashesAt' | 'header' | 'headerRecords' | 'block' | 'blocks'
>;

export function createEsploraBlocks(client: EsploraClient): EsploraBlocks {
  let packages: boolean | null = null;

  async function blockHashAt(height: number): Promise<BlockHash | null> {
    const hash = await client.text(`/block-height/${height}`);
    return hash === null ? null : blockHash(hash);
  }

  async function headerRecord(hash: BlockHash): Promise<HeaderRecord | null> {
    const [block, status] = await Promise.all([
      client.json<EsploraBlock>(`/block/${hash}`),
      client.json<{ in_best_chain: boolean }>(`/block/${hash}/status`),
    ]);
    if (!block) return null;
    const info = infoOf(block, status?.in_best_chain ?? false);
    const header = serializeHeader({
      version: block.version,
      prevHash: info.prevHash,
      merkleRoot: block.merkle_root,
      time: block.timestamp,
      bits: block.bits,
      nonce: block.nonce,
    });
    if (parseHeader(header).hash !== hash)
      throw new DomainError('unavailable', `the Esplora server's header of ${hash} has another hash`);
    return { ...info, header, transactionCount: block.tx_count };
  }

  async function header(hash: BlockHash): Promise<HeaderInfo | null> {
    const [block, status] = await Promise.all([
      client.json<EsploraBlock>(`/block/${hash}`),
      client.json<{ in_best_chain: boolean }>(`/block/${hash}/status`),
    ]);
    return block && infoOf(block, status?.in_best_chain ?? false);
  }

  function infoOf(block: EsploraBlock, inBestChain: boolean): HeaderInfo {
    if (block.mediantime === undefined) {
      throw new DomainError('unavailable', 'the Esplora server is too old: its blocks carry no mediantime');
    }
    return {
      hash: blockHash(block.id),
      height: block.height,
      prevHash: block.previousblockhash ? blockHash(block.previousblockhash) : NO_PARENT,
      time: block.timestamp,
      medianTime: block.mediantime,
      inBestChain,
    };
  }

  async function block(hash: BlockHash): Promise<RawBlock | null> {
    const [info, bytes] = await Promise.all([header(hash), client.bytes(`/block/${hash}/raw`)]);
    return info && bytes && { ...info, bytes };
  }

  /** Newer servers have POST /txs/package; an empty package is refused by them and not found by others. */
  async function takesPackages(): Promise<boolean> {
    try {
      return (await client.post('/txs/package', '[]')) !== null;
    } catch (error) {
      if (error instanceof EsploraRefusal) return error.status !== 405;
      throw error;
    }
  }

  return {
    async info(): Promise<ChainInfo> {
      const [tip, genesis] = await Promise.all([client.text('/blocks/tip/hash'), blockHashAt(0)]);
      const best = tip && (await client.json<EsploraBlock>(`/block/${tip}`));
      if (!best || !genesis) throw noServer();
      const network = networkOfGenesis(genesis);
      if (!network) throw new DomainError('unavailable', `the Esplora server is on an unknown chain (${genesis})`);
      packages ??= await takesPackages();
      return {
        network,
        genesisHash: genesis,
        height: best.height,
        bestBlockHash: blockHash(best.id),
        // A server shows a block only when it has indexed it; how far its own node is behind, it does not say.
        syncing: false,
        headers: best.height,
        prunedBelow: 0,
        capabilities: { blockFilters: false, anyTransaction: true, packages, mining: false },
      };
    },
    async bestBlockHash() {
      const tip = await client.text('/blocks/tip/hash');
      if (!tip) throw noServer();
      return blockHash(tip);
    },
    blockHashAt,
    blockHashesAt: (heights) => mapLimited(heights, PARALLEL, blockHashAt),
    header,
    headerRecords: (hashes) => mapLimited(hashes, PARALLEL, headerRecord),
    block,
    blocks: (hashes) =>
      mapLimited(hashes, PARALLEL, async (hash) => {
        const found = await block(hash);
        if (!found) throw new DomainError('unavailable', `the Esplora server does not know block ${hash}`);
        return found;
      }),
  };
}

const noServer = (): DomainError =>
  new DomainError('unavailable', 'the address in ESPLORA_URL does not answer like an Esplora server');

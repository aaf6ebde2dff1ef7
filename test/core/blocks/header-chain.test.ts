import { describe, expect, it } from 'vitest';
import { type BlockHeader, meetsTarget, parseHeader, serializeHeader } from '../../../src/core/blocks/header.ts';
import { type HeaderChainRequest, verifyHeaderChain } from '../../../src/core/blocks/header-chain.ts';
import type { BlockHash } from '../../../src/core/outpoint.ts';
import { GENESIS, SECOND, THIRD } from './known-headers.ts';

const [first, second, third] = [GENESIS, SECOND, THIRD].map((hex) => parseHeader(Buffer.from(hex, 'hex'))) as [
  BlockHeader,
  BlockHeader,
  BlockHeader,
];
const EASIEST = 0x207fffff;

/** A regtest header that is worked for. */
function mined(over: Partial<BlockHeader> = {}): BlockHeader {
  const plan = {
    version: 0x20000000,
    prevHash: '00'.repeat(32) as BlockHash,
    merkleRoot: 'ab'.repeat(32),
    time: 1_700_000_000,
    bits: EASIEST,
    ...over,
  };
  for (let nonce = 0; ; nonce++) {
    const header = parseHeader(serializeHeader({ ...plan, nonce }));
    if (meetsTarget(header)) return header;
  }
}

function minedChain(length: number, each: (index: number) => Partial<BlockHeader> = () => ({})): BlockHeader[] {
  const chain: BlockHeader[] = [];
  for (let index = 0; index < length; index++) {
    const prevHash = chain.at(-1)?.hash ?? ('00'.repeat(32) as BlockHash);
    chain.push(mined({ prevHash, time: 1_700_000_000 + index, ...each(index) }));
  }
  return chain;
}

const onRegtest = (headers: BlockHeader[], more: Partial<HeaderChainRequest> = {}) =>
  verifyHeaderChain({ headers, previous: null, startHeight: null, network: 'regtest', ...more });

describe('verifyHeaderChain', () => {
  it('takes the first blocks of mainnet, and sums their work', () => {
    const headers = [first, second, third];
    expect(verifyHeaderChain({ headers, previous: null, startHeight: 0, network: 'mainnet' })).toEqual({
      valid: true,
      failure: null,
      difficultyChecked: 2,
      work: 3n * 0x100010001n,
    });
    expect(verifyHeaderChain({ headers: [third], previous: second, startHeight: 2, network: 'mainnet' })).toMatchObject(
      { valid: true, difficultyChecked: 1 },
    );
  });

  it('names the first header that is not on the one before', () => {
    const headers = [first, third];
    expect(verifyHeaderChain({ headers, previous: null, startHeight: null, network: 'mainnet' })).toMatchObject({
      valid: false,
      failure: { index: 1, problem: 'bad-prevblk' },
      work: 0x100010001n,
    });
    const chain = minedChain(3);
    expect(onRegtest(chain.slice(1), { previous: mined({ time: 7 }) }).failure).toEqual({
      index: 0,
      problem: 'bad-prevblk',
    });
    expect(onRegtest(chain.slice(1), { startHeight: 0 }).failure).toEqual({ index: 0, problem: 'bad-prevblk' });
    expect(onRegtest(chain.slice(1), { previous: chain[0]! })).toMatchObject({ valid: true });
  });

  it('asks for the work of the network', () => {
    expect(onRegtest([first, second, third])).toMatchObject({ valid: true });
    const headers = minedChain(2);
    expect(verifyHeaderChain({ headers, previous: null, startHeight: null, network: 'mainnet' }).failure).toEqual({
      index: 0,
      problem: 'bits-above-limit',
    });
    const lazy = { ...headers[1]!, hash: 'ff'.repeat(32) as BlockHash };
    expect(onRegtest([headers[0]!, lazy]).failure).toEqual({ index: 1, problem: 'high-hash' });
  });

  it('compares the bits where the height is known', () => {
    const harder = minedChain(4, (index) => (index === 2 ? { bits: 0x203fffff } : {}));
    expect(onRegtest(harder)).toMatchObject({ valid: true, difficultyChecked: 0 });
    expect(onRegtest(harder, { startHeight: 0 }).failure).toEqual({ index: 2, problem: 'bad-diffbits' });
    expect(onRegtest(minedChain(2017), { startHeight: 0 })).toMatchObject({ valid: true, difficultyChecked: 2016 });
  });

  it('asks for a time after the median of the eleven before', () => {
    // Eleven times, median the sixth: the twelfth must be above it.
    const times = [0, 10, 20, 30, 40, 50, 60, 70, 80, 90, 100, 50].map((seconds) => 1_700_000_000 + seconds);
    const chain = minedChain(12, (index) => ({ time: times[index]! }));
    expect(onRegtest(chain).failure).toEqual({ index: 11, problem: 'time-too-old' });
    expect(onRegtest(chain.slice(1))).toMatchObject({ valid: true });
    expect(onRegtest(chain.slice(1), { previous: chain[0]! }).failure).toEqual({ index: 10, problem: 'time-too-old' });
    times[11]!++;
    expect(onRegtest(minedChain(12, (index) => ({ time: times[index]! })))).toMatchObject({ valid: true });
    const early = minedChain(2, (index) => ({ time: 1_700_000_000 - index }));
    expect(onRegtest(early)).toMatchObject({ valid: true });
    expect(onRegtest(early, { startHeight: 0 }).failure).toEqual({ index: 1, problem: 'time-too-old' });
  });
});

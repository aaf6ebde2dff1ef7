import { ByteWriter } from '../../core/blocks/byte-writer.ts';
import { type BlockHeader, meetsTarget, parseHeader } from '../../core/blocks/header.ts';
import { merkleRoot } from '../../core/blocks/merkle.ts';
import { type ParsedTransaction, parseTransaction } from '../../core/blocks/transaction.ts';
import { hash256 } from '../../core/hashes.ts';
import { type BlockHash, internalHash } from '../../core/outpoint.ts';
import { subsidy } from './consensus.ts';

/** Regtest's difficulty: every second hash is good enough. */
const BITS = 0x207fffff;
const VERSION = 0x20000000;
const WITNESS_RESERVED = Buffer.alloc(32);
const COMMITMENT_HEAD = Buffer.from('6a24aa21a9ed', 'hex');
const NULL_HASH = '0'.repeat(64);

export interface BlockPlan {
  readonly prevHash: BlockHash;
  readonly height: number;
  /** Unix seconds. */
  readonly time: number;
  /** hex; paid subsidy and fees. */
  readonly scriptPubKey: string;
  readonly transactions: readonly ParsedTransaction[];
  readonly feesSats: bigint;
  /** Makes the coinbase of two blocks at one height differ, and so their txids. */
  readonly extraNonce: Uint8Array;
}

export interface BuiltBlock {
  readonly header: BlockHeader;
  readonly bytes: Buffer;
  /** With the coinbase first. */
  readonly transactions: readonly ParsedTransaction[];
}

/** Builds a block with its coinbase (BIP34 height, BIP141 commitment) and does its work. */
export function buildBlock(plan: BlockPlan): BuiltBlock {
  const scriptSig = new ByteWriter().bytes(heightPush(plan.height)).prefixed(plan.extraNonce).done();
  const coinbase = coinbaseTransaction(scriptSig, [
    { amountSats: subsidy(plan.height) + plan.feesSats, script: Buffer.from(plan.scriptPubKey, 'hex') },
    { amountSats: 0n, script: Buffer.concat([COMMITMENT_HEAD, witnessCommitment(plan.transactions)]) },
  ]);
  return solve(plan.prevHash, plan.time, [coinbase, ...plan.transactions]);
}

/** The first block: not regtest's, so that data of one cannot be taken for the other's. Its coinbase, as everywhere, can't be spent. */
export function buildGenesis(): BuiltBlock {
  const message = Buffer.from('Ashlar simulated chain: worth nothing, and not regtest');
  const coinbase = coinbaseTransaction(new ByteWriter().uint8(0).prefixed(message).done(), [
    { amountSats: subsidy(0), script: Buffer.from('6a', 'hex') },
  ]);
  return solve(NULL_HASH as BlockHash, 1_700_000_000, [coinbase]);
}

function coinbaseTransaction(
  scriptSig: Uint8Array,
  outputs: readonly { amountSats: bigint; script: Uint8Array }[],
): ParsedTransaction {
  const writer = new ByteWriter(300).uint32(2).uint8(0).uint8(1);
  writer.uint8(1).hash(NULL_HASH).uint32(0xffffffff).prefixed(scriptSig).uint32(0xffffffff);
  writer.compactSize(outputs.length);
  for (const { amountSats, script } of outputs) writer.int64(amountSats).prefixed(script);
  writer.uint8(1).prefixed(WITNESS_RESERVED).uint32(0);
  return parseTransaction(writer.done());
}

/** BIP141: over the wtxids, the coinbase's being zero. */
function witnessCommitment(transactions: readonly ParsedTransaction[]): Buffer {
  const { root } = merkleRoot([Buffer.alloc(32), ...transactions.map(({ raw }) => hash256(raw))]);
  return hash256(Buffer.concat([root, WITNESS_RESERVED]));
}

/** BIP34 as Bitcoin Core writes it: OP_1 to OP_16, then the shortest number. */
function heightPush(height: number): Buffer {
  if (height <= 16) return Buffer.of(height === 0 ? 0 : 0x50 + height);
  const digits: number[] = [];
  for (let rest = height; rest > 0; rest >>>= 8) digits.push(rest & 0xff);
  if (digits[digits.length - 1]! & 0x80) digits.push(0);
  return Buffer.of(digits.length, ...digits);
}

function solve(prevHash: BlockHash, time: number, transactions: readonly ParsedTransaction[]): BuiltBlock {
  const { root } = merkleRoot(transactions.map(({ txid }) => internalHash(txid)));
  const size = transactions.reduce((sum, { raw }) => sum + raw.length, 90);
  const writer = new ByteWriter(size).uint32(VERSION).hash(prevHash).bytes(root).uint32(time).uint32(BITS).uint32(0);
  writer.compactSize(transactions.length);
  for (const { raw } of transactions) writer.bytes(raw);
  const bytes = writer.done();
  for (let nonce = 0; ; nonce++) {
    bytes.writeUInt32LE(nonce, 76);
    const header = parseHeader(bytes);
    if (meetsTarget(header)) return { header, bytes, transactions };
  }
}

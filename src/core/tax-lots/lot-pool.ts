/** Lots of which something is left, packed: a million of them are held at once. */
const BYTES = 64;
const AT_ONCE = 4_096;
/** Where in its bytes a lot has what. */
const [LEFT, SATS, AT, PLACE, PRICE, TXID] = [0, 8, 16, 24, 28, 32] as const;

export interface PackedLot {
  readonly txid: string;
  /** Epoch milliseconds. */
  readonly at: number;
  readonly sats: bigint;
  /** Which of the prices; -1: none. */
  readonly price: number;
}

/** A lot is known by a number, which another takes when it is freed. */
export function createLotPool() {
  const blocks: Buffer[] = [];
  const free: number[] = [];
  let [size, place] = [0, 0];
  const blockOf = (lot: number) => blocks[Math.floor(lot / AT_ONCE)] as Buffer;
  const start = (lot: number) => (lot % AT_ONCE) * BYTES;

  return {
    add({ txid, at, sats, price }: PackedLot): number {
      const lot = free.pop() ?? size++;
      if (lot >= blocks.length * AT_ONCE) blocks.push(Buffer.alloc(AT_ONCE * BYTES));
      const [block, from] = [blockOf(lot), start(lot)];
      for (const field of [LEFT, SATS]) block.writeBigInt64LE(sats, from + field);
      block.writeDoubleLE(at, from + AT);
      block.writeUInt32LE(place++, from + PLACE);
      block.writeInt32LE(price, from + PRICE);
      block.write(txid, from + TXID, 'hex');
      return lot;
    },
    free: (lot: number): void => void free.push(lot),
    get(lot: number): PackedLot {
      const [block, from] = [blockOf(lot), start(lot)];
      return {
        txid: block.toString('hex', from + TXID, from + BYTES),
        at: block.readDoubleLE(from + AT),
        sats: block.readBigInt64LE(from + SATS),
        price: block.readInt32LE(from + PRICE),
      };
    },
    /** In the order in which they were added, from 0. */
    place: (lot: number): number => blockOf(lot).readUInt32LE(start(lot) + PLACE),
    price: (lot: number): number => blockOf(lot).readInt32LE(start(lot) + PRICE),
    left: (lot: number): bigint => blockOf(lot).readBigInt64LE(start(lot) + LEFT),
    take(lot: number, sats: bigint): void {
      const [block, from] = [blockOf(lot), start(lot) + LEFT];
      block.writeBigInt64LE(block.readBigInt64LE(from) - sats, from);
    },
  };
}

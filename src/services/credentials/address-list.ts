import { BlockList, isIP } from 'node:net';
import ipaddr from 'ipaddr.js';
import { DomainError } from '../../core/errors.ts';

/** Why an entry of an allow-list is none; null where it is an address or a CIDR block. */
export function addressProblem(entry: string): string | null {
  const [address = '', bits, ...more] = entry.split('/');
  const version = isIP(address);
  const fits = bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= (version === 6 ? 128 : 32));
  if (version !== 0 && !address.includes('%') && fits && more.length === 0) return null;
  return 'must be an IP address, or a block such as 10.0.0.0/8';
}

/** Addresses and CIDR blocks to check against. Throws `invalid_value` naming the entry that is neither. */
export function addressList(entries: readonly string[]): BlockList {
  const list = new BlockList();
  for (const entry of entries) {
    const problem = addressProblem(entry);
    if (problem !== null) throw new DomainError('invalid_value', `"${entry}" ${problem}`);
    const [address = '', bits] = entry.split('/');
    const family = isIP(address) === 6 ? 'ipv6' : 'ipv4';
    if (bits === undefined) list.addAddress(address, family);
    else list.addSubnet(address, Number(bits), family);
  }
  return list;
}

/** Whether a list has an address; an IPv4 one also where it comes as ::ffff:10.0.0.1. */
export function listAllows(list: BlockList, remoteAddress: string): boolean {
  return list.check(remoteAddress, isIP(remoteAddress) === 6 ? 'ipv6' : 'ipv4');
}

/** Tells whether one of the entries of an allow-list holds the whole of another address or block. */
export function within(allowed: readonly string[]): (entry: string) => boolean {
  const byFirst = allowed
    .map(blockOf)
    .sort((one, other) => order(one.first, other.first) || order(other.last, one.last));
  // Of two CIDR blocks that overlap, one is within the other: the outermost stand beside each other.
  const outermost: Block[] = [];
  for (const block of byFirst) if (block.last > (outermost.at(-1)?.last ?? -1n)) outermost.push(block);
  return (entry) => {
    const { first, last } = blockOf(entry);
    let [from, to] = [0, outermost.length];
    while (from < to) {
      const middle = (from + to) >> 1;
      if (outermost[middle]!.first <= first) from = middle + 1;
      else to = middle;
    }
    return last <= (outermost[from - 1]?.last ?? -1n);
  };
}

/** Its first and its last address, an IPv4 one as it is within ::ffff:0:0/96. */
interface Block {
  readonly first: bigint;
  readonly last: bigint;
}

function blockOf(entry: string): Block {
  const [text = '', bits] = entry.split('/');
  const address = ipaddr.parse(text);
  const [bytes, before] =
    address.kind() === 'ipv4'
      ? [(address as ipaddr.IPv4).toIPv4MappedAddress().toByteArray(), 96]
      : [address.toByteArray(), 0];
  const free = BigInt(128 - before - Number(bits ?? 128 - before));
  const first = (BigInt(`0x${Buffer.from(bytes).toString('hex')}`) >> free) << free;
  return { first, last: first + (1n << free) - 1n };
}

const order = (one: bigint, other: bigint): number => (one < other ? -1 : one > other ? 1 : 0);

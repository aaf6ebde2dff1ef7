import { BlockList, isIP } from 'node:net';
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
  // Entries of one length together: whatever is in one of them is within it where it is no shorter.
  const byBits = [...Map.groupBy(allowed, bitsOf)].map(([bits, entries]) => ({ bits, list: addressList(entries) }));
  return (entry) => {
    const [address = ''] = entry.split('/');
    const own = bitsOf(entry);
    return byBits.some(({ bits, list }) => bits <= own && listAllows(list, address));
  };
}

/** The length of an entry's prefix, of an IPv4 one as it is within ::ffff:0:0/96. */
function bitsOf(entry: string): number {
  const [address = '', bits] = entry.split('/');
  if (isIP(address) === 6) return Number(bits ?? 128);
  return 96 + Number(bits ?? 32);
}

/** What a holder of tokens is addressed by before it registers a Bitcoin address: its id in bech32m, `gov1p…`. */
import { address as codec } from 'bitcoinjs-lib';

const PREFIX = 'gov';
/** bech32 is written with 0. */
const BECH32M = 1;
const HOLDER_ID = /^(usr|key)_[0-9A-Za-z]{22}$/;

export const isHolderId = (text: string): boolean => HOLDER_ID.test(text);

export const holderAddress = (holderId: string): string =>
  codec.toBech32(Buffer.from(holderId, 'ascii'), BECH32M, PREFIX);

/** The id in such an address; null where it is none. */
export function holderIdIn(address: string): string | null {
  if (!/^gov1/i.test(address) || address.length > 90) return null;
  try {
    const { prefix, version, data } = codec.fromBech32(address);
    const id = Buffer.from(data).toString('latin1');
    return prefix === PREFIX && version === BECH32M && isHolderId(id) ? id : null;
  } catch {
    return null;
  }
}

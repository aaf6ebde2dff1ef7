/** Messages of Bitcoin's P2P protocol, version 1 (developer.bitcoin.org/reference/p2p_networking.html): magic, command, length, checksum, payload. */
import { sameBytes } from '../bytes.ts';
import { hash256 } from '../hashes.ts';
import type { Network } from '../network.ts';
import { NodeRefused } from './node-refused.ts';

/** The first bytes of each message (Bitcoin Core's src/kernel/chainparams.cpp); of signet the default one's. */
const MAGIC: Readonly<Record<Network, string>> = {
  mainnet: 'f9beb4d9',
  testnet4: '1c163f28',
  signet: '0a03cf40',
  regtest: 'fabfb5da',
};
const NETWORK_OF = new Map(Object.entries(MAGIC).map(([network, magic]) => [magic, network]));
const HEADER = 24;
/** No message of a handshake is longer. */
const MAX_PAYLOAD = 4_096;
/** Before `verack`: Bitcoin Core sends four. */
const MAX_MESSAGES = 16;

export interface P2pMessage {
  readonly command: string;
  readonly payload: Buffer;
}

const checksum = (payload: Uint8Array): Buffer => hash256(payload).subarray(0, 4);

export function p2pMessage(network: Network, command: string, payload: Uint8Array = Buffer.alloc(0)): Buffer {
  const header = Buffer.alloc(HEADER);
  header.write(MAGIC[network], 0, 'hex');
  header.write(command, 4, 'latin1');
  header.writeUInt32LE(payload.length, 16);
  checksum(payload).copy(header, 20);
  return Buffer.concat([header, payload]);
}

/** Takes bytes as they come, and answers the messages that are whole. Keeps less than one message. Throws NodeRefused. */
export function createMessageReader(network: Network): (chunk: Uint8Array) => P2pMessage[] {
  let rest = Buffer.alloc(0);
  let count = 0;
  return (chunk) => {
    rest = Buffer.concat([rest, chunk]);
    const messages: P2pMessage[] = [];
    for (let length = payloadLength(rest, network); length !== null && rest.length >= HEADER + length; ) {
      if (++count > MAX_MESSAGES) throw new NodeRefused('no_handshake');
      const payload = rest.subarray(HEADER, HEADER + length);
      if (!sameBytes(checksum(payload), rest.subarray(20, HEADER))) throw new NodeRefused('no_handshake');
      messages.push({ command: rest.toString('latin1', 4, 16).replace(/\0+$/, ''), payload });
      rest = rest.subarray(HEADER + length);
      length = payloadLength(rest, network);
    }
    return messages;
  };
}

/** null: not known yet. */
function payloadLength(bytes: Buffer, network: Network): number | null {
  if (bytes.length < 4) return null;
  const magic = bytes.toString('hex', 0, 4);
  if (magic !== MAGIC[network]) throw new NodeRefused(NETWORK_OF.has(magic) ? 'other_network' : 'no_handshake');
  if (bytes.length < HEADER) return null;
  const length = bytes.readUInt32LE(16);
  if (length > MAX_PAYLOAD) throw new NodeRefused('no_handshake');
  return length;
}

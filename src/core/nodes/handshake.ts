/** The version handshake of Bitcoin's P2P protocol, as the side that connects: both send `version` and answer the other's with `verack`. */
import { hex } from '../bytes.ts';
import type { Network } from '../network.ts';
import { NodeRefused } from './node-refused.ts';
import { createMessageReader, p2pMessage } from './p2p-messages.ts';

/** 70016: wtxid relay. Nodes of any version answer it. */
const PROTOCOL_VERSION = 70_016;
/** The first that sends a height (Bitcoin Core refuses those below 31800). */
const LEAST_VERSION = 209;
/** Bitcoin Core's MAX_SUBVERSION_LENGTH. */
const MAX_USER_AGENT = 256;
/** Before the user agent: version, services, time, two addresses of 26 bytes, nonce. */
const FIXED = 80;
const NONCE_AT = 72;
/** Bitcoin Core's SAFE_CHARS_DEFAULT: what it shows of what a peer sends. */
const UNSAFE = /[^0-9A-Za-z .,;\-_/:?@()]/g;

/** What a node says of itself. */
export interface NodeClaims {
  readonly protocolVersion: number | null;
  readonly userAgent: string | null;
  readonly claimedHeight: number | null;
}

export interface Handshake {
  /** To be sent first. */
  readonly hello: Buffer;
  /** Of bytes of the other side: what to send, and what it says of itself once the handshake is completed. Throws NodeRefused. */
  receive(chunk: Uint8Array): { readonly send: Buffer | null; readonly claims: NodeClaims | null };
}

/** `isOwn`: whether this process sends this nonce (hex): then the connection is to itself. `at` in epoch milliseconds. */
export function createHandshake(given: {
  readonly network: Network;
  /** 8 bytes, random. */
  readonly nonce: Uint8Array;
  readonly isOwn: (nonce: string) => boolean;
  readonly userAgent: string;
  readonly at: number;
}): Handshake {
  const { network, isOwn } = given;
  const read = createMessageReader(network);
  let claims: NodeClaims | null = null;
  let isDone = false;

  function take({ command, payload }: ReturnType<typeof read>[number]): Buffer | null {
    if (command === 'version') {
      if (claims !== null) throw new NodeRefused('no_handshake');
      claims = claimsOf(payload, isOwn);
      return p2pMessage(network, 'verack');
    }
    // Bitcoin Core ends a connection that begins with anything else.
    if (claims === null || (command === 'verack' && payload.length > 0)) throw new NodeRefused('no_handshake');
    isDone ||= command === 'verack';
    return null;
  }

  return {
    hello: p2pMessage(network, 'version', versionPayload(given)),
    receive(chunk) {
      const answers = read(chunk).flatMap((message) => take(message) ?? []);
      return { send: answers.length === 0 ? null : Buffer.concat(answers), claims: isDone ? claims : null };
    },
  };
}

function versionPayload({ nonce, userAgent, at }: { nonce: Uint8Array; userAgent: string; at: number }): Buffer {
  const agent = Buffer.from(userAgent, 'latin1');
  const payload = Buffer.alloc(FIXED + 1 + agent.length + 5);
  payload.writeInt32LE(PROTOCOL_VERSION, 0);
  payload.writeBigInt64LE(BigInt(Math.floor(at / 1000)), 12);
  payload.set(nonce, NONCE_AT);
  payload.writeUInt8(agent.length, FIXED);
  payload.set(agent, FIXED + 1);
  // Height 0, and no transactions to be relayed: it leaves at once.
  return payload;
}

function claimsOf(payload: Buffer, isOwn: (nonce: string) => boolean): NodeClaims {
  if (payload.length < FIXED + 5) throw new NodeRefused('no_handshake');
  const protocolVersion = payload.readInt32LE(0);
  const [length, start] =
    payload[FIXED]! < 0xfd ? [payload[FIXED]!, FIXED + 1] : [payload.readUInt16LE(FIXED + 1), FIXED + 3];
  const isLong = payload[FIXED]! > 0xfd || length > MAX_USER_AGENT;
  if (protocolVersion < LEAST_VERSION || isLong || payload.length < start + length + 4) {
    throw new NodeRefused('no_handshake');
  }
  if (isOwn(hex(payload.subarray(NONCE_AT, FIXED)))) throw new NodeRefused('self');
  const height = payload.readInt32LE(start + length);
  return {
    protocolVersion,
    userAgent: payload.toString('latin1', start, start + length).replaceAll(UNSAFE, ''),
    claimedHeight: height < 0 ? null : height,
  };
}

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createHandshake } from '../../../src/core/nodes/handshake.ts';
import { NodeRefused } from '../../../src/core/nodes/node-refused.ts';
import { peerMessage, versionOf } from '../../builders/fake-node.ts';

const NONCE = Buffer.from('0102030405060708', 'hex');
const start = () =>
  createHandshake({
    ...{ network: 'regtest', nonce: NONCE, userAgent: '/ashlar:1/', at: 1_700_000_000_000 },
    isOwn: (nonce) => nonce === NONCE.toString('hex'),
  });
const VERACK = peerMessage('verack');
const MAINNET = 'f9beb4d9';

/** What comes of these bytes, given whole or in pieces of a size. */
function outcomeOf(bytes: Buffer, size = bytes.length) {
  const handshake = start();
  let claims = null;
  try {
    for (let at = 0; at < bytes.length; at += size) ({ claims } = handshake.receive(bytes.subarray(at, at + size)));
  } catch (error) {
    if (!(error instanceof NodeRefused)) throw error;
    return error.problem;
  }
  return claims;
}
const version = (given?: Parameters<typeof versionOf>[0]) => peerMessage('version', versionOf(given));

describe('the handshake', () => {
  it('says hello with its nonce, and answers a version with verack', () => {
    const { hello, receive } = start();
    expect([hello.toString('hex', 0, 4), hello.toString('latin1', 4, 11)]).toEqual(['fabfb5da', 'version']);
    expect(hello.readUInt32LE(16)).toBe(hello.length - 24);
    expect(hello.subarray(24 + 72, 24 + 80)).toEqual(NONCE);
    expect(receive(version())).toEqual({ send: VERACK, claims: null });
    expect(receive(VERACK)).toEqual({
      send: null,
      claims: { protocolVersion: 70016, userAgent: '/Fake:1.0/', claimedHeight: 120 },
    });
  });

  it('is the same however the bytes come', () => {
    const bytes = Buffer.concat([version({ agent: 'x'.repeat(256) }), peerMessage('sendaddrv2'), VERACK]);
    for (const size of [1, 7, 24, bytes.length]) expect(outcomeOf(bytes, size)).toMatchObject({ claimedHeight: 120 });
  });

  it('is not completed without both version and verack', () => {
    expect(outcomeOf(version())).toBeNull();
    expect(outcomeOf(VERACK)).toBe('no_handshake');
    expect(outcomeOf(Buffer.concat([peerMessage('ping', NONCE), version(), VERACK]))).toBe('no_handshake');
    expect(outcomeOf(Buffer.concat([version(), version(), VERACK]))).toBe('no_handshake');
    expect(outcomeOf(Buffer.concat([version(), peerMessage('verack', Buffer.alloc(1))]))).toBe('no_handshake');
  });

  it('cleans what the other side says of itself', () => {
    const agent = Buffer.from('/<b>\u001b[31m\r\nSatoshi:30.0\u0000"/', 'latin1');
    const bytes = Buffer.concat([version({ agent, height: -1 }), VERACK]);
    expect(outcomeOf(bytes)).toMatchObject({ userAgent: '/b31mSatoshi:30.0/', claimedHeight: null });
  });

  it.each([
    ['magic of another network', peerMessage('version', versionOf(), { magic: MAINNET }), 'other_network'],
    ['no magic', Buffer.from('HTTP/1.1 400 Bad Request\r\n\r\n'), 'no_handshake'],
    ['a wrong checksum', peerMessage('version', versionOf(), { checksum: '00000000' }), 'no_handshake'],
    ['a length of 4 GiB', peerMessage('version', Buffer.alloc(0), { length: 0xffff_ffff }), 'no_handshake'],
    ['a length above 4 KiB', peerMessage('version', Buffer.alloc(0), { length: 4097 }), 'no_handshake'],
    ['a version cut off', peerMessage('version', versionOf().subarray(0, 84)), 'no_handshake'],
    [
      'a user agent beyond its message',
      peerMessage('version', Buffer.concat([versionOf().subarray(0, 80), Buffer.from('fdffffffff', 'hex')])),
      'no_handshake',
    ],
    ['a user agent of 257 bytes', version({ agent: 'x'.repeat(257) }), 'no_handshake'],
    ['a version of ages ago', version({ version: 106 }), 'no_handshake'],
    ['a negative version', version({ version: -1 }), 'no_handshake'],
    ['its own nonce', version({ nonce: NONCE }), 'self'],
    ['its own hello', start().hello, 'self'],
    [
      'messages without end',
      Buffer.concat([version(), ...Array.from({ length: 16 }, () => peerMessage('ping'))]),
      'no_handshake',
    ],
  ])('is refused by %s', (_name, bytes, problem) => expect(outcomeOf(bytes)).toBe(problem));

  it('ends in order on any bytes', () => {
    const bytes = fc.oneof(
      fc.uint8Array({ maxLength: 200 }).map((some) => Buffer.from(some)),
      fc.uint8Array({ maxLength: 200 }).map((some) => peerMessage('version', Buffer.from(some))),
      fc.tuple(fc.integer({ min: 0, max: 120 }), fc.integer({ min: 0, max: 255 })).map(([at, value]) => {
        const payload = versionOf();
        payload[at % payload.length] = value;
        return Buffer.concat([peerMessage('version', payload), VERACK]);
      }),
    );
    fc.assert(
      fc.property(bytes, (some) => {
        const outcome = outcomeOf(some, 50);
        if (outcome !== null && typeof outcome === 'object') expect(outcome.userAgent).toMatch(/^[\x20-\x7e]{0,256}$/);
      }),
    );
  });
});

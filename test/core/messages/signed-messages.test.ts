import { Verifier } from 'bip322-js';
import { describe, expect, it } from 'vitest';
import { ecc } from '../../../src/core/keys/ecc.ts';
import { type SigningFormat, signMessage } from '../../../src/core/messages/sign-message.ts';
import { verifyMessage } from '../../../src/core/messages/verify-message.ts';
import { decodeAddress } from '../../../src/core/relay-policy/address.ts';
import vectors from './signed-messages.json' with { type: 'json' };

/** Made once by this service: signatures that were given away stay valid, whatever changes here. */
describe.each(vectors)('$type, $format: $message', ({ key, address, message, format, signature }) => {
  const script = Buffer.from(decodeAddress(address, 'mainnet').scriptPubKey, 'hex');
  const bytes = Buffer.from(message);

  it('is valid, for its message alone', () => {
    expect(verifyMessage(script, bytes, signature)).toMatchObject({ state: 'valid', format });
    expect(verifyMessage(script, Buffer.from(`${message} `), signature)).toMatchObject({ state: 'invalid', format });
  });

  it('is made again', () => {
    const tools = { ecc, randomBytes: (size: number) => new Uint8Array(size).fill(3) };
    const request = { script, message: bytes, key, format: format as SigningFormat, network: 'mainnet' as const };
    expect(signMessage(request, tools)).toEqual({ signature, format });
  });

  // It knows BIP322 as of before there were prefixes, and full signatures not at all.
  if (format !== 'full')
    it('is valid to bip322-js', () => {
      expect(Verifier.verifySignature(address, message, signature.replace(/^smp/, ''))).toBe(true);
    });
});

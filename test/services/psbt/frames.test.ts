import { randomBytes } from 'node:crypto';
import { deflateRawSync } from 'node:zlib';
import { UR, URDecoder } from '@ngraveio/bc-ur';
import { joinQRs } from 'bbqr';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DomainError } from '../../../src/core/errors.ts';
import { CborReader, cborByteString } from '../../../src/services/psbt/frames/cbor.ts';
import { framesOf, scanFrames } from '../../../src/services/psbt/frames/psbt-frames.ts';
import { MAX_CONTENT_BYTES } from '../../../src/services/psbt/frames/scanned.ts';

const psbt = (bytes: number): Buffer => Buffer.concat([Buffer.from('70736274ff', 'hex'), randomBytes(bytes)]);
const ur = (extraFrames = 0, maxFragmentLength = 100) =>
  ({ format: 'ur', type: 'psbt', maxFragmentLength, extraFrames }) as const;
const bbqr = { format: 'bbqr', maxVersion: 27 } as const;

const textsOf = async (bytes: Uint8Array, format: Parameters<typeof framesOf>[1]): Promise<string[]> =>
  (await framesOf(bytes, format, 'none')).frames.map(({ text }) => text);

function base32(bytes: Uint8Array): string {
  const bits = [...bytes].map((byte) => byte.toString(2).padStart(8, '0')).join('');
  const groups = bits.match(/.{1,5}/g) ?? [];
  return groups.map((group) => 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'[Number.parseInt(group.padEnd(5, '0'), 2)]).join('');
}

const shuffled = <T>(items: readonly T[]): T[] =>
  items
    .map((item) => [Math.random(), item] as const)
    .sort(([a], [b]) => a - b)
    .map(([, item]) => item);

async function refusal(frames: readonly string[]): Promise<DomainError> {
  const error = await scanFrames(frames).catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(DomainError);
  return error as DomainError;
}

describe('frames of an animated QR code', () => {
  it('come back whole in any order, with doubles, in either format and any size', async () => {
    for (const size of [1, 20, 180, 1000, 9000]) {
      const bytes = psbt(size);
      for (const format of [ur(), ur(3), bbqr]) {
        const frames = await textsOf(bytes, format);
        const read = await scanFrames(shuffled([...frames, ...frames.slice(0, 2)]));
        expect(read.missing).toEqual([]);
        expect(read.received).toBe(read.total);
        expect(Buffer.from(read.content?.bytes as Uint8Array).equals(bytes), `${format.format} ${size}`).toBe(true);
      }
    }
  });

  it('say which are missing', async () => {
    for (const format of [ur(), { ...bbqr, maxVersion: 8 }]) {
      const frames = await textsOf(psbt(1500), format);
      expect(frames.length).toBeGreaterThan(4);
      const read = await scanFrames(frames.filter((_, index) => index !== 1 && index !== 3));
      expect(read).toMatchObject({ total: frames.length, received: frames.length - 2, missing: [2, 4], content: null });
    }
  });

  it('of a UR beyond the needed ones stand for any that was missed', async () => {
    const bytes = psbt(1500);
    const { needed, frames } = await framesOf(bytes, ur(40), 'none');
    const texts = frames.map(({ text }) => text);
    expect(texts.length).toBe(needed + 40);
    const read = await scanFrames(shuffled([...texts.slice(2, needed), ...texts.slice(needed)]));
    expect(read.missing).toEqual([]);
    expect(Buffer.from(read.content?.bytes as Uint8Array).equals(bytes)).toBe(true);
    expect((await scanFrames(texts.slice(needed, needed + 3))).content).toBeNull();
  });

  it('are read by the libraries of other wallets, and theirs by us', async () => {
    const bytes = psbt(2000);
    const decoder = new URDecoder();
    for (const text of await textsOf(bytes, ur(5))) decoder.receivePart(text);
    expect(decoder.resultUR().type).toBe('psbt');
    expect(Buffer.from(decoder.resultUR().decodeCBOR()).equals(bytes)).toBe(true);
    expect(UR.fromBuffer(bytes).cbor.equals(cborByteString(bytes))).toBe(true);
    const joined = joinQRs(await textsOf(bytes, bbqr));
    expect([joined.fileType, Buffer.from(joined.raw).equals(bytes)]).toEqual(['P', true]);
  });

  it('of a UR take the older name of the type, and lower case', async () => {
    const bytes = psbt(700);
    const old = await textsOf(bytes, { ...ur(), type: 'crypto-psbt' });
    expect(old[0]).toMatch(/^UR:CRYPTO-PSBT\/1-8\//);
    const read = await scanFrames(old.map((text) => text.toLowerCase()));
    expect(Buffer.from(read.content?.bytes as Uint8Array).equals(bytes)).toBe(true);
  });

  it('of BBQr are read in every encoding, and tell a transaction from a PSBT', async () => {
    const bytes = Buffer.from('ab'.repeat(30), 'hex');
    expect((await scanFrames([`B$HT0100${bytes.toString('hex').toUpperCase()}`])).content).toEqual({
      kind: 'transaction',
      bytes,
    });
    expect(Buffer.from((await scanFrames(['B$2P0100MZXW6YTBOI'])).content?.bytes as Uint8Array).toString()).toBe(
      'foobar',
    );
  });

  it('have pictures that fit them', async () => {
    const svg = await framesOf(psbt(300), ur(), 'svg');
    expect(svg.frames.every(({ image }) => image?.startsWith('<svg xmlns='))).toBe(true);
    const png = await framesOf(psbt(300), bbqr, 'png');
    expect(png.frames.every(({ image }) => image?.startsWith('data:image/png;base64,'))).toBe(true);
    expect(png.qrVersion).toBeGreaterThan(4);
  });

  it('are refused by number where they are damaged, foreign or of two pictures', async () => {
    const frames = await textsOf(psbt(500), ur());
    const others = await textsOf(psbt(900), ur());
    const damaged = `${frames[1]?.slice(0, -3)}AAA`;
    const cases: [string[], number, RegExp][] = [
      [[frames[0] as string, damaged], 1, /damaged/],
      [[frames[0] as string, others[0] as string], 1, /another picture/],
      [[frames[0] as string, 'B$2P0100MZXW6YTBOI'], 1, /another format/],
      [['hello'], 0, /neither a UR .* nor a BBQr/],
      [['ur:crypto-account/aeaeaeaeae'], 0, /another type/],
      [[(frames[0] as string).replace('/1-', '/2-')], 0, /does not fit together/],
      [['B$2P0100MZXW6YTBOI', 'B$2P0200MZXW6YTBOI'], 1, /another picture/],
      [['B$2P0200MZXW6YTB', 'B$2P0200MZXW6YTA'], 1, /differs/],
      [['B$2P0101MZXW6YTB'], 0, /number 2 of 1/],
      [['B$2P0100mzxw6ytb'], 0, /damaged/],
      [['B$HP0100ABC'], 0, /damaged/],
      [['B$ZP0100MZXW6YTBOI'], 0, /no compressed content/],
      [['B$2J0100MZXW6YTB'], 0, /type J/],
    ];
    for (const [texts, index, sentence] of cases) {
      const error = await refusal(texts);
      expect(error.message).toMatch(sentence);
      expect(error.details.field).toBe(`frames[${index}]`);
    }
  });

  it('that unpack to more than a request may hold are refused', async () => {
    const packed = (size: number) => `B$ZP0100${base32(deflateRawSync(Buffer.alloc(size)))}`;
    expect((await scanFrames([packed(MAX_CONTENT_BYTES)])).content?.bytes.length).toBe(MAX_CONTENT_BYTES);
    expect((await refusal([packed(MAX_CONTENT_BYTES + 1)])).message).toMatch(/compressed content of at most/);
  });

  it('of any text are read or refused by name, never failed', async () => {
    const some = [...(await textsOf(psbt(400), ur(2))), ...(await textsOf(psbt(400), bbqr))];
    const mutated = fc
      .tuple(fc.constantFrom(...some), fc.nat({ max: 400 }), fc.constantFrom('', 'A', '0', '-', '/', 'é', '~~~~'))
      .map(([text, at, put]) => text.slice(0, at) + put + text.slice(at + 1));
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.oneof(mutated, fc.constantFrom(...some)), { minLength: 1, maxLength: 6 }),
        async (frames) => {
          const outcome = await scanFrames(frames).catch((error: unknown) => error);
          if (outcome instanceof Error) {
            expect(outcome, String(outcome.stack)).toBeInstanceOf(DomainError);
            expect((outcome as DomainError).details.field).toMatch(/^frames\[\d\]$/);
          }
        },
      ),
      { numRuns: 500 },
    );
  });

  it('beyond what anybody would film are refused', async () => {
    await expect(framesOf(psbt(30_000), ur(0, 10), 'none')).rejects.toMatchObject({ code: 'too_large' });
    await expect(framesOf(psbt(200_000), { format: 'bbqr', maxVersion: 5 }, 'none')).rejects.toMatchObject({
      code: 'too_large',
    });
    // However short it would be once compressed.
    await expect(framesOf(Buffer.alloc(2_000_001), bbqr, 'none')).rejects.toMatchObject({ details: { field: 'psbt' } });
    await expect(framesOf(psbt(6_000), ur(0, 10), 'svg')).rejects.toMatchObject({ details: { field: 'image' } });
  });
});

describe('CBOR', () => {
  it('reads what it writes, and nothing that is cut off', () => {
    for (const length of [0, 23, 24, 255, 256, 65535, 65536]) {
      const content = randomBytes(length);
      const encoded = cborByteString(content);
      const reader = new CborReader(encoded);
      expect(Buffer.from(reader.byteString() as Uint8Array).equals(content)).toBe(true);
      expect(reader.done).toBe(true);
      expect(new CborReader(encoded).uint()).toBeNull();
      if (length > 0) expect(new CborReader(encoded.subarray(0, -1)).byteString()).toBeNull();
    }
    expect(new CborReader(Buffer.from('1bffffffffffffffff', 'hex')).uint()).toBeNull();
    expect(new CborReader(Buffer.from('5f', 'hex')).byteString()).toBeNull();
  });
});

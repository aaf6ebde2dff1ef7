/** A PSBT to a signer without a network and back, through HTTP. */
import decodeQR from 'qr/decode.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Json, startTestApp, type TestApp } from '../../builders/app.ts';
import { A } from '../../core/psbt/spend-cases.ts';
import { noteSecret } from '../../secrets/collected.ts';
import { ELSEWHERE, psbtHttp } from './psbt-http.ts';

let service: TestApp;
let psbt: string;
const { ok, refused } = psbtHttp(() => service);
beforeAll(async () => {
  service = await startTestApp();
  noteSecret('key', A.hex);
  const { psbt: made } = await ok('create', {
    inputs: Array.from({ length: 8 }, (_, index) => ({
      txid: 'ab'.repeat(32),
      vout: index,
      witness_utxo: { script: `5120${A.xOnly.toString('hex')}`, amount: '1' },
    })),
    outputs: [{ address: ELSEWHERE, amount: '7.9' }],
  });
  psbt = made;
});
afterAll(() => service.close());

const texts = ({ frames }: Json): string[] => frames.map(({ text }: Json) => text);

describe('frames', () => {
  it('carry a PSBT to the signer and back, in either format and either version', async () => {
    const v0 = (await ok('migrate', { psbt, target: 0 })).psbt;
    for (const [format, given, version] of [
      ['ur', psbt, 2],
      ['bbqr', psbt, 2],
      ['ur', v0, 0],
      ['bbqr', v0, 0],
    ] as const) {
      const shown = await ok('frames', { psbt: given, format });
      expect(shown.format).toBe(format);
      expect(shown.frames.length).toBe(shown.needed);
      const scanned = await ok('scan', { frames: texts(shown).reverse() });
      expect(scanned).toEqual({
        format,
        total: shown.needed,
        received: shown.needed,
        missing: [],
        psbt: given,
        version,
        transaction: null,
      });
    }
  });

  it('say what is missing until all are there, and mixtures stand for what was missed', async () => {
    const shown = await ok('frames', { psbt, max_fragment_length: 50, extra_frames: 30 });
    const frames = texts(shown);
    expect(frames.length).toBe(shown.needed + 30);
    const some = await ok('scan', { frames: frames.slice(2, 5) });
    expect(some).toMatchObject({ total: shown.needed, received: 3, psbt: null, version: null });
    expect(some.missing).not.toContain(3);
    expect(some.missing).toContain(1);
    expect((await ok('scan', { frames: frames.slice(2) })).psbt).toBe(psbt);
  });

  it('are for older signers, too', async () => {
    const shown = await ok('frames', { psbt, ur_type: 'crypto-psbt' });
    expect(texts(shown)[0]).toMatch(/^UR:CRYPTO-PSBT\//);
    expect((await ok('scan', { frames: texts(shown) })).psbt).toBe(psbt);
  });

  it('have pictures that a camera reads', async () => {
    const { frames } = await ok('frames', { psbt, image: 'svg' });
    for (const { text, image } of frames) {
      const [, side] = /viewBox="0 0 (\d+) \1"/.exec(image) as RegExpExecArray;
      const width = Number(side) * 4;
      const data = new Uint8ClampedArray(width * width * 4).fill(255);
      for (const [, x, y, length] of image.split('<path ')[2].matchAll(/M(\d+) (\d+)h(\d+)v1/g))
        for (let row = Number(y) * 4; row < Number(y) * 4 + 4; row++)
          for (let at = Number(x) * 4; at < (Number(x) + Number(length)) * 4; at++)
            data.fill(0, (row * width + at) * 4, (row * width + at) * 4 + 3);
      expect(decodeQR({ width, height: width, data })).toBe(text);
    }
    const pngs = await ok('frames', { psbt, format: 'bbqr', image: 'png' });
    expect(pngs.qr_version).toBeGreaterThan(4);
    expect(pngs.frames.every(({ image }: Json) => image.startsWith('data:image/png;base64,'))).toBe(true);
  });

  it('come back signed from a signer that knows version 0 alone', async () => {
    // What the signer films, what it signs, what it shows.
    const toSigner = await ok('frames', { psbt: (await ok('migrate', { psbt, target: 0 })).psbt });
    const filmed = await ok('scan', { frames: texts(toSigner) });
    const signed = await ok('sign', { psbt: (await ok('migrate', { psbt: filmed.psbt })).psbt, key: A.hex });
    const fromSigner = await ok('frames', {
      psbt: (await ok('migrate', { psbt: signed.psbt, target: 0 })).psbt,
      format: 'bbqr',
    });
    const back = await ok('scan', { frames: texts(fromSigner) });
    expect(back.version).toBe(0);
    const combined = await ok('combine', { psbts: [psbt, (await ok('migrate', { psbt: back.psbt })).psbt] });
    const final = await ok('finalize', { psbt: combined.psbt });
    expect(final.complete).toBe(true);
    const asTransaction = `B$HT0100${final.transaction.toUpperCase()}`;
    expect((await ok('scan', { frames: [asTransaction] })).transaction).toBe(final.transaction);
  });

  it('are refused by number', async () => {
    const [first, second] = texts(await ok('frames', { psbt, max_fragment_length: 100 })) as [string, string];
    const damaged = `${second.slice(0, -2)}AA`;
    expect(await refused('scan', { frames: [first, damaged] })).toMatchObject({ status: 400, field: 'frames[1]' });
    expect(await refused('scan', { frames: [first, 'B$2P0100MZXW6YTB'] })).toMatchObject({ field: 'frames[1]' });
    expect(await refused('scan', { frames: ['x'.repeat(4297)] })).toMatchObject({ field: 'frames[0]' });
  });
});

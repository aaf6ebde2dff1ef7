import { describe, expect, it } from 'vitest';
import { type PayoutPicture, payoutSvg } from '../../../src/core/pictures/payout-curve.ts';

const bars = (...outcomes: string[]): PayoutPicture => ({
  title: 'Weather',
  collateralSats: 100_000_000n,
  shares: outcomes.map((outcome, i) => ({
    outcome,
    offerPayoutSats: 100_000_000n - (100_000_000n * BigInt(i)) / BigInt(Math.max(outcomes.length - 1, 1)),
  })),
});

const numbers = (change: Partial<PayoutPicture> = {}): PayoutPicture => ({
  title: 'Price',
  collateralSats: 1_000n,
  shares: [
    { outcome: { from: 0n, to: 511n }, offerPayoutSats: 0n },
    { outcome: { from: 512n, to: 1023n }, offerPayoutSats: 1_000n },
  ],
  ...change,
});

/** Text between tags, and what attributes hold. */
const shown = (svg: string): string[] => [...svg.matchAll(/<text[^>]*>([^<]*)<\/text>/g)].map(([, text]) => text!);

describe('the picture of a payout', () => {
  it('is a bar for each outcome, the offerer’s share and the accepter’s', () => {
    const svg = payoutSvg(bars('rain', 'sun', 'snow'));
    expect([...svg.matchAll(/class="offer"[^>]*width="([\d.]+)" height="18"/g)].map(([, width]) => width)).toEqual([
      '568',
      '284',
      '0',
    ]);
    expect(svg).toContain('<title>sun: offerer 0.50000000 BTC, accepter 0.50000000 BTC</title>');
    expect(shown(svg)).toEqual(expect.arrayContaining(['rain', 'sun', 'snow', 'payout in BTC', '1.00000000']));
  });

  it('is a curve over numbers, its axes in the event’s unit and precision', () => {
    const svg = payoutSvg(numbers({ unit: 'USD', precision: -1 }));
    expect(svg).toContain('d="M0 300H284V0H568"');
    expect(shown(svg)).toEqual(
      expect.arrayContaining(['outcome in USD, in steps of 10^-1', '102.3', '51.1', '0.00001000', 'payout in BTC']),
    );
    expect(shown(payoutSvg(numbers({ precision: 3 })))).toContain('1023000');
    expect(shown(payoutSvg(numbers({ precision: 2 ** 31 - 1 })))).toContain('1023·10^2147483647');
    expect(shown(payoutSvg(numbers({ precision: -(2 ** 31) })))).toContain('1023·10^-2147483648');
  });

  it('says in words what it shows', () => {
    expect(payoutSvg(numbers())).toMatch(
      /<title id="payout-title">Price<\/title><desc id="payout-description">The offerer&#39;s payout of 0\.00001000 BTC by outcome.* 0\.00000000 BTC at 0, 0\.00001000 BTC from 512; at least 0\.00000000 and at most 0\.00001000 BTC\.<\/desc>/,
    );
  });

  it('holds no markup of those who named things, however they named them', () => {
    const evil = '</text><script>alert("1")</script>&\u0000\ud800\'';
    for (const picture of [
      bars(evil, 'b'),
      bars(...Array.from({ length: 50 }, (_, i) => `${evil}${i}`)),
      numbers({ unit: evil }),
    ]) {
      const svg = payoutSvg({ ...picture, title: evil });
      expect(svg).not.toContain('<script');
      expect(svg.isWellFormed()).toBe(true);
      expect(svg).not.toContain('\u0000');
      expect(svg.replace(/&(amp|lt|gt|quot|#39);/g, '')).not.toContain('&');
      expect(svg).not.toMatch(/(href|src|url\()/);
      expect((svg.match(/<text/g) ?? []).length).toBe((svg.match(/<\/text>/g) ?? []).length);
    }
  });

  it('stays small, whatever it shows', () => {
    const many = Array.from({ length: 100_000 }, (_, i) => ({
      outcome: { from: BigInt(i), to: BigInt(i) },
      offerPayoutSats: BigInt((i * 7919) % 1000),
    }));
    expect(payoutSvg(numbers({ shares: many })).length).toBeLessThan(100_000);
    expect(payoutSvg(bars(...Array.from({ length: 1000 }, (_, i) => `outcome ${i}`))).length).toBeLessThan(60_000);
    expect(payoutSvg(bars('x'.repeat(1_000_000), 'y')).length).toBeLessThan(5_000);
    expect(payoutSvg(numbers({ collateralSats: 0n }))).toContain('</svg>');
  });
});

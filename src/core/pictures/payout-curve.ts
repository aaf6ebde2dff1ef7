/** What a contract pays, as an SVG document: no script, nothing from elsewhere, legible on light and dark grounds. */
import { formatBtc } from '../amount.ts';
import { shortened, svgText } from './svg-text.ts';

export interface PayoutPicture {
  readonly title: string;
  readonly collateralSats: bigint;
  /** Not empty; ranges ascending, without gaps. */
  readonly shares: readonly {
    readonly outcome: string | { readonly from: bigint; readonly to: bigint };
    readonly offerPayoutSats: bigint;
  }[];
  /** Of numbers: what they count, and the power of ten that one of it stands for. */
  readonly unit?: string;
  readonly precision?: number;
}

const WIDTH = 720;
const LEFT = 128;
const RIGHT = 24;
const TOP = 72;
/** Enumerations with more outcomes are drawn as a curve over the outcomes in their order. */
const MAX_BARS = 40;
const BAR_STEP = 26;
const PLOT = { width: WIDTH - LEFT - RIGHT, height: 300 };
const TICKS = 4;

const INK = 'class="ink" fill="#1f2328"';
const OFFER = '#0969da';
const ACCEPT = '#d4a72c';

/** The offerer's payout by outcome: bars for up to 40 named outcomes, else a curve. */
export function payoutSvg(picture: PayoutPicture): string {
  const named = picture.shares.every(({ outcome }) => typeof outcome === 'string');
  return named && picture.shares.length <= MAX_BARS ? bars(picture) : curve(picture, named);
}

function bars(picture: PayoutPicture): string {
  const { shares, collateralSats } = picture;
  const height = TOP + shares.length * BAR_STEP + 56;
  const marks = shares.map(({ outcome, offerPayoutSats }, i) => {
    const y = TOP + i * BAR_STEP;
    const length = along(offerPayoutSats, collateralSats, PLOT.width);
    const label = shortened(outcome as string, 16);
    return (
      `<g><title>${svgText(`${shortened(outcome as string, 100)}: ${splitText(offerPayoutSats, collateralSats)}`)}</title>` +
      `<rect class="accept" fill="${ACCEPT}" x="${LEFT}" y="${y}" width="${PLOT.width}" height="18"/>` +
      `<rect class="offer" fill="${OFFER}" x="${LEFT}" y="${y}" width="${length}" height="18"/>` +
      `${text(LEFT - 8, y + 13, label, 'end')}</g>`
    );
  });
  const bottom = TOP + shares.length * BAR_STEP;
  const axis = ticks(collateralSats).map(({ sats, share }) => {
    const x = LEFT + share * PLOT.width;
    return `${rule(x, TOP - 4, x, bottom)}${text(x, bottom + 16, formatBtc(sats), share === 1 ? 'end' : 'middle')}`;
  });
  return document(picture, height, [
    ...marks,
    ...axis,
    text(LEFT + PLOT.width / 2, bottom + 38, 'payout in BTC', 'middle'),
    legend(),
  ]);
}

function curve(picture: PayoutPicture, named: boolean): string {
  const { shares, collateralSats, unit = '', precision = 0 } = picture;
  const ends = shares.map(({ outcome }, i) =>
    typeof outcome === 'string' ? { from: BigInt(i), to: BigInt(i) } : { from: outcome.from, to: outcome.to },
  );
  const from = ends[0]!.from;
  const span = ends.at(-1)!.to + 1n - from;
  const bottom = TOP + PLOT.height;
  const xOf = (outcome: bigint): number => Math.round(along(outcome - from, span, PLOT.width) * 2) / 2;
  const yOf = (payoutSats: bigint): number => PLOT.height - along(payoutSats, collateralSats, PLOT.height);
  const line = stepLine(ends.map((range, i) => [xOf(range.from), xOf(range.to + 1n), yOf(shares[i]!.offerPayoutSats)]));
  const rows = ticks(collateralSats).map(({ sats, share }) => {
    const y = bottom - share * PLOT.height;
    return `${rule(LEFT, y, LEFT + PLOT.width, y)}${text(LEFT - 8, y + 4, formatBtc(sats), 'end')}`;
  });
  const columns = Array.from({ length: TICKS + 1 }, (_, i) => {
    const x = LEFT + (i * PLOT.width) / TICKS;
    const outcome = from + ((span - 1n) * BigInt(i)) / BigInt(TICKS);
    const label = named ? nameAt(picture, Number(outcome)) : scaled(outcome, precision);
    const anchor = i === 0 ? 'start' : i === TICKS ? 'end' : 'middle';
    return `${rule(x, bottom, x, bottom + 5)}${text(x, bottom + 20, shortened(label, 20), anchor)}`;
  });
  const axis = named
    ? 'outcomes, in their order'
    : `outcome${unit === '' ? '' : ` in ${shortened(unit, 40)}`}${precision === 0 ? '' : `, in steps of 10^${precision}`}`;
  return document(picture, bottom + 64, [
    ...rows,
    `<g transform="translate(${LEFT} ${TOP})">` +
      `<path class="accept" fill="${ACCEPT}" fill-opacity="0.35" d="M0 0H${PLOT.width}V${PLOT.height}H0z"/>` +
      `<path class="offer" fill="${OFFER}" fill-opacity="0.55" d="${line}V${PLOT.height}H0z"/>` +
      `<path class="line" fill="none" stroke="${OFFER}" stroke-width="1.5" d="${line}"/></g>`,
    ...columns,
    text(LEFT + PLOT.width / 2, bottom + 44, axis, 'middle'),
    `<text ${INK} transform="translate(18 ${TOP + PLOT.height / 2}) rotate(-90)" text-anchor="middle">payout in BTC</text>`,
    legend(),
  ]);
}

const nameAt = ({ shares }: PayoutPicture, at: number): string => shares[at]!.outcome as string;

/** Steps (from, to, y), without gaps, as a path. Of steps too narrow to draw only how far they reach is kept. */
function stepLine(steps: readonly (readonly [number, number, number])[]): string {
  let pen = steps[0]![2];
  let path = `M${steps[0]![0]} ${pen}`;
  let [low, high] = [pen, pen];
  for (const [from, to, y] of steps) {
    [low, high] = [Math.min(low, y), Math.max(high, y)];
    if (to === from) continue;
    if (low < Math.min(pen, y)) path += `V${low}`;
    if (high > Math.max(pen, y)) path += `V${high}`;
    if (y !== pen || low < high) path += `V${y}`;
    path += `H${to}`;
    [pen, low, high] = [y, y, y];
  }
  return path;
}

function document(
  { title, shares, collateralSats }: PayoutPicture,
  height: number,
  content: readonly string[],
): string {
  const payouts = shares.map(({ offerPayoutSats }) => offerPayoutSats);
  const least = payouts.reduce((low, payout) => (payout < low ? payout : low));
  const most = payouts.reduce((high, payout) => (payout > high ? payout : high));
  const said = (share: PayoutPicture['shares'][number]): string =>
    typeof share.outcome === 'string' ? shortened(share.outcome, 100) : `${share.outcome.from}`;
  const description =
    `The offerer's payout of ${formatBtc(collateralSats)} BTC by outcome, the accepter having the rest: ` +
    `${formatBtc(payouts[0]!)} BTC at ${said(shares[0]!)}, ${formatBtc(payouts.at(-1)!)} BTC ` +
    `${typeof shares[0]!.outcome === 'string' ? 'at' : 'from'} ${said(shares.at(-1)!)}; ` +
    `at least ${formatBtc(least)} and at most ${formatBtc(most)} BTC.`;
  return (
    `<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH}" height="${height}" viewBox="0 0 ${WIDTH} ${height}" ` +
    `role="img" aria-labelledby="payout-title payout-description" font-family="sans-serif" font-size="12">` +
    `<title id="payout-title">${svgText(shortened(title, 200))}</title>` +
    `<desc id="payout-description">${svgText(description)}</desc>` +
    '<style>@media (prefers-color-scheme:dark){.ground{fill:#0d1117}.ink{fill:#e6edf3}.rule{stroke:#e6edf3}' +
    '.offer{fill:#4493f8}.line{stroke:#4493f8}.accept{fill:#bb8009}}</style>' +
    `<path class="ground" fill="#fff" d="M0 0h${WIDTH}v${height}H0z"/>` +
    `<text ${INK} x="${LEFT}" y="28" font-size="15" font-weight="bold">${svgText(shortened(title, 70))}</text>` +
    `${content.join('')}</svg>`
  );
}

const legend = (): string =>
  `<rect class="offer" fill="${OFFER}" x="${LEFT}" y="42" width="12" height="12"/>${text(LEFT + 18, 52, 'offerer', 'start')}` +
  `<rect class="accept" fill="${ACCEPT}" x="${LEFT + 90}" y="42" width="12" height="12"/>` +
  `${text(LEFT + 108, 52, 'accepter', 'start')}`;

const text = (x: number, y: number, content: string, anchor: 'start' | 'middle' | 'end'): string =>
  `<text ${INK} x="${x}" y="${y}" text-anchor="${anchor}">${svgText(content)}</text>`;

const rule = (x1: number, y1: number, x2: number, y2: number): string =>
  `<path class="rule" stroke="#1f2328" stroke-opacity="0.3" d="M${x1} ${y1}L${x2} ${y2}"/>`;

const ticks = (collateralSats: bigint): { sats: bigint; share: number }[] =>
  Array.from({ length: TICKS + 1 }, (_, i) => ({
    sats: (collateralSats * BigInt(i)) / BigInt(TICKS),
    share: i / TICKS,
  }));

const splitText = (offerPayoutSats: bigint, collateralSats: bigint): string =>
  `offerer ${formatBtc(offerPayoutSats)} BTC, accepter ${formatBtc(collateralSats - offerPayoutSats)} BTC`;

/** So much of `length`, in tenths. */
const along = (part: bigint, whole: bigint, length: number): number =>
  whole === 0n ? 0 : Number((part * BigInt(length * 10)) / whole) / 10;

/** outcome times 10^precision, in decimals; as a power where that has many zeros. */
function scaled(outcome: bigint, precision: number): string {
  if (precision === 0 || outcome === 0n) return outcome.toString();
  if (precision < -18 || precision > 12) return `${outcome}·10^${precision}`;
  if (precision > 0) return `${outcome}${'0'.repeat(precision)}`;
  const digits = outcome.toString().padStart(1 - precision, '0');
  return `${digits.slice(0, precision)}.${digits.slice(precision)}`;
}

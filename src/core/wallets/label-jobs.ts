/** Reading of label files as a function from plain data to plain data, so that it runs in any thread (src/engines/computing). */
import { type LabelLine, normalOrigin, parseLabelLines } from './label-lines.ts';

export interface LabelsParams {
  /** JSON lines. */
  readonly text: string;
  /** What abbreviatedOrigin says of the wallet: lines that name another are ignored. null: none is. */
  readonly origin: string | null;
}

export interface LabelsResult {
  /** JSON arrays of so many LabelLines that each is taken in within milliseconds; as text, which crosses between threads at once. */
  readonly slices: readonly string[];
  readonly imported: number;
  /** Lines of other wallets and of types that BIP329 does not define. */
  readonly ignored: number;
}

const SLICE = 200;

/** Throws as parseLabelLines. */
function readLabels({ text, origin }: LabelsParams): LabelsResult {
  const { lines, ignored } = parseLabelLines(text);
  const own = lines.filter((line) => origin === null || isOf(line, origin));
  const slices: string[] = [];
  for (let at = 0; at < own.length; at += SLICE) slices.push(JSON.stringify(own.slice(at, at + SLICE)));
  return { slices, imported: own.length, ignored: ignored + lines.length - own.length };
}

const isOf = (line: LabelLine, origin: string): boolean =>
  line.origin === undefined || normalOrigin(line.origin) === origin;

/** What the workers do of labels. */
export const labelJobs = { 'labels.read': readLabels };
export type LabelJobs = typeof labelJobs;

/** Read within a millisecond or two. */
export const isShortFile = ({ text }: LabelsParams): boolean => text.length <= 16_384;

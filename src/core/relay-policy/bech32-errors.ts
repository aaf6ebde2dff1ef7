/** Where a mistyped bech32 or bech32m string differs from a valid one: up to two characters, which its BCH code tells (BIP173, BIP350). */

const CHARSET = 'qpzry9x8gf2tvdw0s3jn54khce6mua7l';
const GENERATOR = [0x3b6a57b2, 0x26508e6d, 0x1ea119fa, 0x3d4233dd, 0x2a1462b3];
const CONSTANTS = { bech32: 1, bech32m: 0x2bc830a3 } as const;

type Bech32Encoding = keyof typeof CONSTANTS;

function step(checksum: number, value: number): number {
  const top = checksum >>> 25;
  let next = ((checksum & 0x1ffffff) << 5) ^ value;
  for (let bit = 0; bit < 5; bit++) if ((top >>> bit) & 1) next ^= GENERATOR[bit] as number;
  return next >>> 0;
}

/** The checksum's remainder over prefix and data, in lower case; 1 for bech32, 0x2bc830a3 for bech32m where it is right. */
function remainder(prefix: string, values: readonly number[]): number {
  const codes = [...prefix].map((character) => character.charCodeAt(0));
  return [...codes.map((code) => code >> 5), 0, ...codes.map((code) => code & 31), ...values].reduce(step, 1);
}

export interface Bech32Check {
  /** Which encoding's checksum is right, or the nearer one where neither is; null where none is near. */
  readonly encoding: Bech32Encoding | null;
  readonly valid: boolean;
  /** Places in the whole string, from 0; empty where it is valid, or where more than two characters are wrong. */
  readonly positions: readonly number[];
}

/** `text` has a separator, and behind it characters of the alphabet alone. At most 90 characters: longer ones the code does not cover. */
export function checkBech32(text: string): Bech32Check {
  const lower = text.toLowerCase();
  const separator = lower.lastIndexOf('1');
  const values = [...lower.slice(separator + 1)].map((character) => CHARSET.indexOf(character));
  const found = remainder(lower.slice(0, separator), values);
  let best: Bech32Check = { encoding: null, valid: false, positions: [] };
  for (const encoding of ['bech32', 'bech32m'] as const) {
    const residue = (found ^ CONSTANTS[encoding]) >>> 0;
    if (residue === 0) return { encoding, valid: true, positions: [] };
    const positions = locate(residue, values.length).map((fromEnd) => lower.length - 1 - fromEnd);
    if (positions.length > 0 && (best.positions.length === 0 || positions.length < best.positions.length)) {
      best = { encoding, valid: false, positions };
    }
  }
  return best;
}

/** Places counted from the end whose characters, changed, take the residue away: one, else two; empty where none do. */
function locate(residue: number, length: number): number[] {
  const single = singleErrors(length);
  const alone = single.get(residue);
  if (alone !== undefined) return [alone];
  for (const [effect, place] of single) {
    const other = single.get((residue ^ effect) >>> 0);
    if (other !== undefined && other !== place) return [place, other].toSorted((a, b) => b - a);
  }
  return [];
}

/** What each wrong character does to the remainder. The code is linear: several add up. */
function singleErrors(length: number): Map<number, number> {
  const effects = new Map<number, number>();
  for (let value = 1; value < 32; value++) {
    let effect = value;
    for (let place = 0; place < length; place++) {
      effects.set(effect, place);
      effect = step(effect, 0);
    }
  }
  return effects;
}

import { MalformedDataError } from '../../blocks/malformed-data-error.ts';
import { PsbtError, type PsbtPlace, type PsbtProblem } from '../psbt-error.ts';
import { PsbtMap } from '../psbt-map.ts';
import type { Shape } from './field-shapes.ts';
import { FIELDS, type Field, type PsbtVersion } from './fields.ts';
import { KeyValueCursor } from './key-value.ts';

/**
 * The middle layer: one map, from the cursor's place to behind its end. No key twice, every known field as its BIP wants it, those there
 * that this version requires and none that it excludes. Throws PsbtError.
 */
export function readMap(cursor: KeyValueCursor, version: PsbtVersion) {
  const { bytes, map } = cursor;
  const table = FIELDS[map];
  const start = cursor.offset;
  let ascending = true;
  let seen = 0;
  let type = -1;
  let keyStart = start;
  let keyEnd = start;
  while (cursor.next()) {
    if (cursor.type <= type && !(cursor.type === type && isBelow(bytes, keyStart, keyEnd, cursor))) ascending = false;
    type = cursor.type;
    keyStart = cursor.keyDataStart;
    keyEnd = cursor.keyEnd;
    if (type < 32) seen |= 1 << type;
    const field = table[type];
    if (field !== undefined) checkField(cursor, field, version);
  }
  const end = cursor.offset - 1;
  if (!ascending) refuseDuplicates(cursor, start, end);
  refuseMissing(cursor, seen, version);
  return {
    map: PsbtMap.onWire(bytes, start, end),
    /** Of the types below 32 and of none above: bit `type` is set where such a field is there. */
    seen,
  };
}

/** Whether the key data bytes[start, end) sorts before the cursor's. */
function isBelow(bytes: Uint8Array, start: number, end: number, { keyDataStart, keyEnd }: KeyValueCursor): boolean {
  let at = start;
  let other = keyDataStart;
  while (at < end && other < keyEnd) {
    const difference = (bytes[at++] as number) - (bytes[other++] as number);
    if (difference !== 0) return difference < 0;
  }
  return end - start < keyEnd - keyDataStart;
}

function checkField(cursor: KeyValueCursor, field: Field, version: PsbtVersion): void {
  const { bytes, keyDataStart, keyEnd, valueStart, valueEnd } = cursor;
  const { name, keyData, value, excludedFrom } = field;
  if (excludedFrom.length > 0 && excludedFrom.includes(version))
    throw problem(cursor, field, 'forbidden_field', `${name} must not be in a PSBT of version ${version}`);
  let checked: PsbtProblem = 'invalid_key_data';
  try {
    if (keyData === null) {
      if (keyDataStart !== keyEnd)
        throw problem(
          cursor,
          field,
          'unexpected_key_data',
          `the key of ${name} must be its type alone, without the ${keyEnd - keyDataStart} bytes that follow it`,
        );
    } else if (!keyData.fits(bytes, keyDataStart, keyEnd, keyDataStart, keyEnd)) {
      throw problem(cursor, field, checked, `the key data of ${name} must be ${keyData.is}`);
    }
    checked = 'invalid_value';
    if (!value.fits(bytes, valueStart, valueEnd, keyDataStart, keyEnd))
      throw problem(cursor, field, checked, `the value of ${name} must be ${value.is}`);
  } catch (error) {
    if (!(error instanceof MalformedDataError)) throw error;
    const [what, shape] = checked === 'invalid_value' ? ['value', value] : ['key data', keyData as Shape];
    throw problem(cursor, field, checked, `the ${what} of ${name} must be ${shape.is}: ${error.message} of it`);
  }
}

/** Keys that come in order are seen to be different as they come; only others need a set of them. */
function refuseDuplicates({ bytes, map, place }: KeyValueCursor, start: number, end: number): void {
  const keys = new Set<string>();
  const again = new KeyValueCursor(bytes, start);
  // Text, since V8 seeds the hashes of strings: nobody can choose keys that collide.
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  while (again.offset < end && again.next()) {
    const size = keys.size;
    keys.add(text.toString('latin1', again.keyStart, again.keyEnd));
    if (keys.size > size) continue;
    const name = FIELDS[map][again.type]?.name ?? `the unknown type ${again.type}`;
    throw new PsbtError('duplicate_key', `each key must be in a map once; one of ${name} is there twice`, {
      place,
      fieldName: FIELDS[map][again.type]?.name ?? null,
    });
  }
}

function refuseMissing(cursor: KeyValueCursor, seen: number, version: PsbtVersion): void {
  const { map } = cursor;
  const missing = REQUIRED[map][version] & ~seen;
  const needing = NEEDING[map] & seen;
  if (missing === 0 && needing === 0) return;
  for (const field of FIELDS[map]) {
    if (field === undefined || field.type >= 32) continue;
    const { name, type, requiredUnless, needs } = field;
    if (isSet(missing, type) && (requiredUnless === null || !isSet(seen, requiredUnless)))
      throw problem(cursor, field, 'missing_field', `a PSBT of version ${version} must have ${name} here`);
    if (needs !== null && isSet(needing, type) && !isSet(seen, needs)) {
      const needed = FIELDS[map][needs] as Field;
      throw problem(cursor, needed, 'missing_field', `${needed.name} must be where ${name} is`);
    }
  }
}

const isSet = (mask: number, type: number): boolean => ((mask >>> type) & 1) === 1;

const maskOf = (map: PsbtPlace['map'], chosen: (field: Field) => boolean): number =>
  FIELDS[map].reduce((mask, field) => (field && field.type < 32 && chosen(field) ? mask | (1 << field.type) : mask), 0);

/** The version itself is what says that it is 2, so its own absence cannot be noticed as such. */
const requiredOf = (map: PsbtPlace['map']): Readonly<Record<PsbtVersion, number>> => ({
  0: maskOf(map, ({ requiredIn }) => requiredIn.includes(0)),
  2: maskOf(map, ({ requiredIn }) => requiredIn.includes(2)),
});
const REQUIRED = { global: requiredOf('global'), input: requiredOf('input'), output: requiredOf('output') };
const needingOf = (map: PsbtPlace['map']): number => maskOf(map, ({ needs }) => needs !== null);
const NEEDING = { global: needingOf('global'), input: needingOf('input'), output: needingOf('output') };

const problem = ({ place }: KeyValueCursor, { name }: Field, what: PsbtProblem, message: string): PsbtError =>
  new PsbtError(what, message, { place, fieldName: name });

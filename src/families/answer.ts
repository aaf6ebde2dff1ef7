/**
 * What a noun looks like on the wire, declared once: the schema of the answer, under its name in OpenAPI, and `present`, which makes the
 * answer of the record. A member is read from the record's property of the same name in camelCase, an amount from `<name>Sats`; times are
 * epoch milliseconds in records and ISO 8601 on the wire. What follows otherwise is computed.
 */
import { z } from 'zod';
import { formatBtc } from '../core/amount.ts';
import { hex } from '../core/bytes.ts';
import { type FeeRate, formatFeeRate, parseFeeRate } from '../core/fee-rate.ts';

/** Satoshis as BTC with 8 decimals. */
export const amount = z
  .codec(
    z
      .string()
      .regex(/^-?\d+\.\d{8}$/)
      .meta({ examples: ['0.00150000'] }),
    z.bigint(),
    {
      decode: (text) => BigInt(text.replace('.', '')),
      encode: formatBtc,
    },
  )
  .meta({ id: 'Amount', description: 'BTC with 8 decimals' });

/** Epoch milliseconds as ISO 8601 UTC. */
export const time = z.codec(z.iso.datetime(), z.number(), {
  decode: Date.parse,
  encode: (at) => new Date(at).toISOString(),
});

/** Feerate in sat/vB. */
export const feeRate = z
  .codec(z.string().meta({ examples: ['2.5'] }), z.custom<FeeRate>(), { decode: parseFeeRate, encode: formatFeeRate })
  .meta({ id: 'FeeRate', description: 'sat/vB' });

/** Bytes as hex, of a length where one is said. */
export const bytesOf = (length?: number) =>
  z.codec(
    length === undefined ? z.string() : z.string().regex(new RegExp(`^[0-9a-f]{${2 * length}}$`)),
    z.custom<Uint8Array>(),
    { decode: (text) => Uint8Array.from(Buffer.from(text, 'hex')), encode: hex },
  );
export const bytes = bytesOf();

/** script_pubkey is scriptPubKey, as Bitcoin Core spells it. */
type Camel<Name> = Name extends `${infer First}_${infer Rest}` ? `${First}${Word<Camel<Rest>>}` : Name & string;
type Word<Text extends string> = Text extends `pubkey${infer Rest}` ? `PubKey${Rest}` : Capitalize<Text>;

/** @public Declarations of types name it. */
export declare const presents: unique symbol;
/** A schema whose values are made of records of this type. */
export interface Presents<Record> {
  readonly [presents]: Record;
}

/** What a record holds where the wire has this schema. */
type Held<Schema> =
  Schema extends Presents<infer Record>
    ? Record
    : Schema extends z.ZodNullable<infer Inner>
      ? Held<Inner> | null
      : Schema extends z.ZodOptional<infer Inner>
        ? Held<Inner> | undefined
        : Schema extends z.ZodArray<infer Inner>
          ? readonly Held<Inner>[]
          : Schema extends z.ZodRecord<infer _Name, infer Inner>
            ? Readonly<Record<string, Held<Inner>>>
            : Schema extends z.ZodObject<infer Shape>
              ? Recorded<Shape>
              : Schema extends z.ZodType
                ? z.output<Schema>
                : never;

type Property<Name, Schema> = bigint extends Extract<Held<Schema>, bigint> ? `${Camel<Name>}Sats` : Camel<Name>;

/** The record that these members are read from; what may be absent on the wire may be absent in it. */
export type Recorded<Shape, Computed = never> = {
  readonly [Name in Exclude<keyof Shape, Computed> as undefined extends Held<Shape[Name]>
    ? never
    : Property<Name, Shape[Name]>]: Held<Shape[Name]>;
} & {
  readonly [Name in Exclude<keyof Shape, Computed> as undefined extends Held<Shape[Name]>
    ? Property<Name, Shape[Name]>
    : never]?: Held<Shape[Name]>;
};

type Encode = (value: unknown) => unknown;
const presenters = z.registry<{ present: Encode }>();

/** How a value becomes what the schema wants; null: it is that already. Throws where a codec stands in what is not looked into. */
function encoderOf(schema: z.core.$ZodType): Encode | null {
  const known = presenters.get(schema);
  if (known !== undefined) return known.present;
  if (schema instanceof z.ZodCodec) return schema.def.reverseTransform as unknown as Encode;
  if (schema instanceof z.ZodNullable || schema instanceof z.ZodOptional) {
    const inner = encoderOf(schema.def.innerType);
    return inner && ((value) => (value === null || value === undefined ? value : inner(value)));
  }
  if (schema instanceof z.ZodArray) {
    const element = encoderOf(schema.def.element);
    return element && ((values) => (values as readonly unknown[]).map((value) => element(value)));
  }
  if (schema instanceof z.ZodRecord) {
    const value = encoderOf(schema.def.valueType);
    const each = ([name, one]: [string, unknown]): [string, unknown] => [name, value?.(one)];
    return value && ((values) => Object.fromEntries(Object.entries(values as object).map(each)));
  }
  if (schema instanceof z.ZodObject) return presenterOf(schema.def.shape, undefined);
  for (const part of Object.values(schema._zod.def).flat())
    if (part instanceof z.ZodType && encoderOf(part) !== null)
      throw new Error(`an answer does not encode the members of a ${schema._zod.def.type}: compute them`);
  return null;
}

const camelCase = (name: string): string =>
  name.replace(/_(pubkey|\w)/g, (_, word: string) => (word === 'pubkey' ? 'PubKey' : word.toUpperCase()));

const holdsAmount = (schema: z.core.$ZodType): boolean =>
  schema instanceof z.ZodNullable || schema instanceof z.ZodOptional
    ? holdsAmount(schema.def.innerType)
    : schema instanceof z.ZodCodec && schema.def.out instanceof z.ZodBigInt;

/**
 * Members in the order of the shape, undefined where the record leaves them so. Compiled, as zod and the serializer do it: lists present each of
 * their rows, and reading properties by names that are not constant takes several times as long.
 */
function presenterOf(shape: z.core.$ZodLooseShape, compute: ((record: never) => object) | undefined): Encode {
  const encoders = Object.values(shape).map(encoderOf);
  const members = Object.entries(shape).map(([name, schema], at) => {
    if (!/^[a-z][a-z0-9_]*$/.test(name) || name in Object.prototype)
      throw new Error(`an answer's member cannot be called ${name}`);
    const property = `record.${camelCase(name)}${holdsAmount(schema) ? 'Sats' : ''}`;
    const read = encoders[at] === null ? property : `encoders[${at}](${property})`;
    return `${name}: ${compute ? `'${name}' in computed ? computed.${name} : ` : ''}${read}`;
  });
  const code = `(record) => { ${compute ? 'const computed = compute(record);' : ''} return { ${members.join(', ')} }; }`;
  return new Function('encoders', 'compute', `return ${code};`)(encoders, compute) as Encode;
}

type Wire<Shape extends z.ZodRawShape> = z.input<z.ZodObject<Shape>>;

/** An answer that has no name of its own: OpenAPI calls it after its operation. */
export function unnamedAnswer<
  const Shape extends z.ZodRawShape,
  Source = unknown,
  Computed extends Partial<Wire<Shape>> = Record<never, never>,
>(shape: Shape, compute?: (record: Source) => Computed) {
  return answerOf<Shape, Source, Computed>(z.object(shape), compute);
}

/**
 * The noun `id` with these members. `compute` answers those that the record does not have under their name, as they are on the wire.
 *
 *     export const bookmark = answer('Bookmark', { bookmark_id: z.string(), price: amount, created_at: time });
 *     success: { status: 200, answer: bookmark, description: 'The bookmark' }
 *     success: { status: 200, answer: paginated(bookmark), description: 'A page of bookmarks' }
 *
 * What has more members spreads both: `answer('Priced', { ...bookmark.shape, sum: amount }, (record) => ({ ...bookmark.present(record), … }))`.
 */
export function answer<
  const Shape extends z.ZodRawShape,
  Source = unknown,
  Computed extends Partial<Wire<Shape>> = Record<never, never>,
>(id: string, shape: Shape, compute?: (record: Source) => Computed) {
  return answerOf<Shape, Source, Computed>(z.object(shape).meta({ id }), compute);
}

function answerOf<Shape extends z.ZodRawShape, Source, Computed>(
  object: z.ZodObject<Shape>,
  compute?: (record: Source) => Computed & object,
) {
  type From = Source & Recorded<Shape, keyof Computed>;
  const schema = object as z.ZodObject<Shape> & Presents<From>;
  const present = presenterOf(object.shape, compute) as unknown as (record: From) => Wire<Shape>;
  presenters.add(schema, { present: present as Encode });
  return { schema, present, shape: object.shape };
}

/** The noun of records that hold all but what is `known` here. */
export const answerWith = <From, Wire, Known extends Partial<From>>(
  noun: { schema: z.ZodType<unknown, Wire>; present: (record: From) => Wire },
  known: Known,
) => ({
  schema: noun.schema,
  present: (record: Omit<From, keyof Known>) => noun.present({ ...record, ...known } as unknown as From),
});

export const pagination = answer('Pagination', {
  total: z.int(),
  limit: z.int(),
  offset: z.int(),
  has_more: z.boolean(),
  next_cursor: z.string().nullable(),
});

/** A page of these, named after them. */
export function paginated<From, Wire>(noun: { schema: z.ZodType<unknown, Wire>; present: (record: From) => Wire }) {
  const schema = z.object({ data: z.array(noun.schema), pagination: pagination.schema });
  const id = noun.schema.meta()?.id;
  return {
    schema: id === undefined ? schema : schema.meta({ id: `${id}Page` }),
    present: ({ data, ...page }: { data: readonly From[] } & Parameters<typeof pagination.present>[0]) => ({
      data: data.map(noun.present),
      pagination: pagination.present(page),
    }),
  };
}

/** The only page of one. */
export const pageExample = <Wire>(example: Wire) => ({
  data: [example],
  pagination: { total: 1, limit: 20, offset: 0, has_more: false, next_cursor: null },
});

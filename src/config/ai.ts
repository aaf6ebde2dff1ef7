/** AI_CONFIG: the file that names upstreams, their models and the routes to them, as YAML or JSON. Holds no secret, but names their files. */
import { dirname, resolve } from 'node:path';
import { type Document, isNode, LineCounter, parseDocument } from 'yaml';
import { z } from 'zod';

const MAX_CHARACTERS = 1024 * 1024;
const MAX_PROBLEMS = 20;
/** Answered by the service itself. */
const RESERVED = 'ashlar-guide';

const text = (pattern: RegExp, says: string) => z.string({ error: says }).regex(pattern, says);
const yesOrNo = z.boolean({ error: 'must be true or false' }).default(false);
const whole = (least: number, most: number) => {
  const error = `must be a whole number from ${least} to ${most}`;
  return z.int({ error }).min(least, error).max(most, error);
};
const seconds = (most: number) => {
  const error = `must be a number of seconds from 0.1 to ${most}`;
  return z
    .number({ error })
    .min(0.1, error)
    .max(most, error)
    .transform((value) => Math.round(value * 1000));
};
const list = <T extends z.ZodType>(of: T, least: number, most: number) => {
  const error = `must be a list of ${least} to ${most}`;
  return z.array(of, { error }).min(least, error).max(most, error);
};
/** `says`: what else is wrong than one of its fields. */
const fields = <T extends z.ZodRawShape>(shape: T, hints: Readonly<Record<string, string>> = {}) =>
  z.strictObject(shape, {
    error: (issue) => {
      if (issue.code !== 'unrecognized_keys') return `must hold ${Object.keys(shape).join(', ')}`;
      const [key = ''] = issue.keys as string[];
      return hints[key] ?? `is no field: there are ${Object.keys(shape).join(', ')}`;
    },
  });

const NAME = text(
  /^[a-z0-9][a-z0-9-]{0,62}$/,
  'must be a name of lower-case letters, digits and dashes, such as local-vllm',
);
const MODEL = text(
  /^[a-zA-Z0-9][a-zA-Z0-9._:/@+-]{0,127}$/,
  'must be the id of a model: letters, digits and ._:/@+-, such as llama-3.1-8b',
);
const FILE = z
  .string({ error: 'must be the path of a file that holds the key and nothing else' })
  .min(1, 'must be the path of a file that holds the key and nothing else');

/** Into millionths. */
const DOLLARS = text(
  /^\d{1,9}(\.\d{1,6})?$/,
  'must be US dollars in quotes, with at most 6 decimals, such as "0.15"',
).transform((decimal) => {
  const [units = '', decimals = ''] = decimal.split('.');
  return BigInt(units + decimals.padEnd(6, '0'));
});

const BASE_URL = z.string({ error: 'must be a URL such as http://127.0.0.1:8000/v1' }).refine(
  (value) => {
    const url = URL.canParse(value) ? new URL(value) : null;
    if (url === null || !/^https?:$/.test(url.protocol)) return false;
    return `${url.username}${url.password}${url.search}${url.hash}` === '';
  },
  { error: 'must be a URL such as http://127.0.0.1:8000/v1, without user, password, query and fragment' },
);

const UPSTREAM = fields(
  {
    name: NAME,
    base_url: BASE_URL,
    api_key_file: FILE.optional(),
    models: list(
      fields({
        name: MODEL,
        aliases: list(MODEL, 0, 16).default([]),
        upstream_name: text(/^[\x21-\x7e]{1,256}$/, 'must be what the upstream calls the model').optional(),
        context_length: whole(1, 100_000_000).optional(),
        price: fields({ input_per_million: DOLLARS, output_per_million: DOLLARS }).optional(),
        embeddings: yesOrNo,
        max_tokens_field: z
          .enum(['max_tokens', 'max_completion_tokens'], { error: 'must be max_tokens or max_completion_tokens' })
          .default('max_tokens'),
      }),
      1,
      256,
    ),
    timeouts: fields({
      connect_s: seconds(60).default(5_000),
      first_byte_s: seconds(600).default(60_000),
      silence_s: seconds(600).default(30_000),
      place_s: seconds(600).default(10_000),
    }).prefault({}),
    max_concurrent: whole(1, 1_000).default(16),
    may_see_records: yesOrNo,
  },
  { api_key: 'is no field: put the key into a file that only its owner may read, and name that as api_key_file' },
);

const ROUTE = fields({
  model: MODEL,
  targets: list(fields({ model: MODEL, weight: whole(1, 1_000).optional() }), 1, 16),
});

const FILE_SCHEMA = fields({
  upstreams: list(UPSTREAM, 1, 64),
  routes: list(ROUTE, 0, 256).default([]),
  retries: fields({
    rounds: whole(0, 10).default(1),
    longest_wait_s: seconds(60).default(10_000),
  }).prefault({}),
}).superRefine((file, context) => {
  const refuse = (path: (string | number)[], message: string): void =>
    context.addIssue({ code: 'custom', path, message, input: null });
  const models = modelsIn(file);
  const taken = new Set([RESERVED]);
  const take = (id: string, path: (string | number)[]): void => {
    if (id === RESERVED) refuse(path, `must not be ${RESERVED}, which the service answers itself`);
    else if (taken.has(id)) refuse(path, `must be the id of one model: ${id} is another's, too`);
    taken.add(id);
  };
  const names = new Set<string>();
  for (const [at, { name, models: own }] of file.upstreams.entries()) {
    if (names.has(name))
      refuse(['upstreams', at, 'name'], `must be the name of one upstream: ${name} is another's, too`);
    names.add(name);
    for (const [of, model] of own.entries()) {
      take(model.name, ['upstreams', at, 'models', of, 'name']);
      for (const [number, alias] of model.aliases.entries())
        take(alias, ['upstreams', at, 'models', of, 'aliases', number]);
    }
  }
  for (const [at, { model, targets }] of file.routes.entries()) {
    take(model, ['routes', at, 'model']);
    const unknown = targets.findIndex((target) => !models.has(target.model));
    if (unknown !== -1)
      refuse(['routes', at, 'targets', unknown, 'model'], 'must be the name of a model of an upstream');
    const kinds = new Set(targets.map((target) => vectorsOf(models.get(target.model))));
    if (kinds.size > 1 && unknown === -1)
      refuse(
        ['routes', at, 'targets'],
        'must be one model on several upstreams where it makes embeddings: those of others do not compare',
      );
  }
});

type File = z.output<typeof FILE_SCHEMA>;
type FileModel = File['upstreams'][number]['models'][number];

const modelsIn = ({ upstreams }: Pick<File, 'upstreams'>) =>
  new Map(upstreams.flatMap(({ models }) => models.map((model) => [model.name, model] as const)));
/** Vectors of one model compare; null: it answers chats. */
const vectorsOf = (model: FileModel | undefined): string | null =>
  model?.embeddings ? (model.upstream_name ?? model.name) : null;

/** What `content` of `file` says; relative paths in it are of its folder. Answers every problem, with its line, where there are some. */
export function parseAiConfig(file: string, content: string) {
  if (content.length > MAX_CHARACTERS) return { problems: [`AI_CONFIG ${file} must be at most 1 MiB`] };
  const lines = new LineCounter();
  const document = parseDocument(content, { lineCounter: lines, prettyErrors: false });
  const said = (offset: number, what: string): string =>
    `AI_CONFIG ${file}, line ${lines.linePos(offset).line}: ${what}`;
  const [broken] = [...document.errors, ...document.warnings];
  if (broken) return { problems: [said(broken.pos[0], `must be YAML or JSON: ${broken.message}`)] };
  const parsed = FILE_SCHEMA.safeParse(contentOf(document));
  if (parsed.success) return { config: configOf(parsed.data, dirname(file)) };
  const problems = parsed.error.issues.slice(0, MAX_PROBLEMS).map((issue) => {
    const path = issue.code === 'unrecognized_keys' ? [...issue.path, issue.keys[0]!] : issue.path;
    return said(offsetOf(document, path), `${nameOf(path)} ${issue.message}`);
  });
  return { problems };
}

export type AiConfig = ReturnType<typeof configOf>;

function configOf({ upstreams, routes, retries }: File, folder: string) {
  return {
    upstreams: upstreams.map(({ timeouts, models, ...one }) => ({
      ...{ name: one.name, baseUrl: one.base_url, maxConcurrent: one.max_concurrent },
      maySeeRecords: one.may_see_records,
      apiKeyFile: one.api_key_file === undefined ? null : resolve(folder, one.api_key_file),
      models: models.map(({ name, aliases, embeddings, price, ...model }) => ({
        ...{ id: name, aliases, embeddings, upstreamModel: model.upstream_name ?? name },
        ...{ contextLength: model.context_length ?? null, maxTokensField: model.max_tokens_field },
        price:
          price === undefined
            ? null
            : { inputPerMillion: price.input_per_million, outputPerMillion: price.output_per_million },
      })),
      timeouts: {
        ...{ connectMs: timeouts.connect_s, firstByteMs: timeouts.first_byte_s },
        ...{ silenceMs: timeouts.silence_s, placeMs: timeouts.place_s },
      },
    })),
    routes: routes.map(({ model, targets }) => ({ id: model, steps: stepsOf(targets) })),
    retries: { rounds: retries.rounds, longestWaitMs: retries.longest_wait_s },
  };
}

/** Neighbours with weights are one step; each without is a step of its own. */
function stepsOf(targets: File['routes'][number]['targets']): { model: string; weight: number }[][] {
  const steps: { model: string; weight: number }[][] = [];
  let shares = false;
  for (const { model, weight } of targets) {
    const target = { model, weight: weight ?? 1 };
    if (weight !== undefined && shares) steps.at(-1)!.push(target);
    else steps.push([target]);
    shares = weight !== undefined;
  }
  return steps;
}

/** Aliases that would make a large value of a small text are left undone: what is wrong is then said of the whole. */
function contentOf(document: Document): unknown {
  try {
    return document.toJS({ maxAliasCount: 100 });
  } catch {
    return null;
  }
}

/** Where the value stands, or what holds it where it is not there. */
function offsetOf(document: Document, path: readonly PropertyKey[]): number {
  for (let length = path.length; length > 0; length--) {
    const node = document.getIn(path.slice(0, length), true);
    if (isNode(node) && node.range) return node.range[0];
  }
  return 0;
}

const nameOf = (path: readonly PropertyKey[]): string =>
  path
    .map((part) => (typeof part === 'number' ? `[${part}]` : `.${String(part)}`))
    .join('')
    .replace(/^\./, '') || 'the file';

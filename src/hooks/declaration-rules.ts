/**
 * What a declaration must say. The hook layer acts on nothing else, so a careless one would leave an operation unguarded: the boot
 * fails instead, with a sentence that names the operation and what is wrong.
 */
import type { z } from 'zod';
import { SCOPE_NOUNS } from '../core/access.ts';
import { DECIDING_SCOPES } from '../core/policies/rules-change.ts';
import { fieldNames, isSchema } from './input/field-names.ts';
import { type AnyOperation, BODY_LIMIT, FAMILY_CREDENTIALS, limitClassOf, PUBLIC_BODY_LIMIT } from './operation.ts';

const ID = /^[a-z0-9]+(-[a-z0-9]+)*\.[a-z0-9]+(-[a-z0-9]+)*$/;
const SCOPE = /^([a-z]+(?:-[a-z]+)*):(read|write)$/;
/** Lower-case words with dashes; a parameter is a whole segment, in snake_case. */
const SEGMENT = /^(\.?[a-z0-9]+([-.][a-z0-9]+)*|\{[a-z]+(_[a-z]+)*\})$/;
/** Ten times the usual body: bulk, PSBTs and contracts. */
const LARGE_BODY = /^\/api\/((psbt|v1\/dlc)\/|v1\/transactions\/\{txid\}\/signatures$)/;
/** Fields that a person could guess from a digest of the body. */
const GUESSABLE = /(^|_)(password|passphrase|mnemonic|totp|client_secret)(_|$)/;
/** Fields into which people paste private keys, by mistake or because they are asked for. */
const HOLDS_KEYS = /(^|_)(descriptors?|private_keys?)$/;
/** The same of public keys. Of what writes the digest is worth more: it says on the record which key was enrolled or kept. */
const HOLDS_PUBLIC_KEYS = /(^|_)keys?$/;
/** Fields of answers that are secrets. */
const SHOWN_ONCE =
  /^(api_key|client_secret|private_key|secret|mnemonic|backup|(access|refresh|reset)_token|recovery_codes|password|passphrase|xprv|wif)$/;

/** Throws an Error for the first thing that a declaration says wrongly or leaves out. */
export function assertDeclaration(operation: AnyOperation): void {
  for (const problem of problemsOf(operation)) {
    if (problem !== null) throw new Error(`operation ${operation.id}: ${problem}`);
  }
}

/** Throws where two operations have one id, or one method and path. */
export function assertDistinct(operations: readonly AnyOperation[]): void {
  const seen = new Map<string, AnyOperation>();
  for (const operation of operations) {
    // Parameters of other names make no other path.
    const route = `${operation.method} ${operation.path.replaceAll(/\{\w+\}/g, '{}')}`;
    for (const name of [operation.id, route]) {
      const before = seen.get(name);
      if (before !== undefined) throw new Error(`operations ${before.id} and ${operation.id} are both ${name}`);
      seen.set(name, operation);
    }
  }
}

function* problemsOf(operation: AnyOperation): Generator<string | null> {
  yield ID.test(operation.id) ? null : 'an id is <noun>.<verb>, in lower-case words with dashes';
  yield* pathProblems(operation);
  yield* effectProblems(operation);
  yield* accessProblems(operation);
  yield* spendingProblems(operation);
  yield* decidingProblems(operation);
  yield* limitProblems(operation);
  yield* bodyProblems(operation);
  yield* answerProblems(operation);
  yield* workerProblems(operation);
}

/** A worker is given the body alone, and its answer is sent as it comes (register-operations.ts). */
function* workerProblems({ inWorker, effect, params, query, success }: AnyOperation): Generator<string | null> {
  if (inWorker === undefined) return;
  yield effect === 'write' ? 'a worker has no database: inWorker is for operations that write nothing' : null;
  yield (params ?? query) ? 'inWorker goes with neither params nor query' : null;
  const { headers, resultHeaders, otherwise, streamed } = success;
  yield (headers ?? resultHeaders ?? otherwise ?? streamed) ? 'inWorker answers with one status and no headers' : null;
}

function* pathProblems({ path, params }: AnyOperation): Generator<string | null> {
  const segments = path.slice(1).split('/');
  const odd = segments.find((segment) => !SEGMENT.test(segment));
  yield path.startsWith('/') && odd === undefined
    ? null
    : `the path has the segment "${odd}": kebab-case, {snake_case}`;
  const named = parametersOf(path);
  const checked = fieldNames(params);
  yield same(named, checked) ? null : `the path names (${named}) but params checks (${checked})`;
}

function* effectProblems({
  method,
  effect,
  access,
  idempotent,
  query,
  dryRun,
  auditsReads,
}: AnyOperation): Generator<string | null> {
  const open = access === 'public';
  // A browser is sent to single sign-on and back by GET.
  if (method === 'GET') yield effect === 'read' || open ? null : 'GET changes nothing: its effect is read';
  else yield effect === 'read' ? `${method} does not only read: its effect is write or compute` : null;
  if (method !== 'GET' && method !== 'POST') yield effect === 'write' ? null : `${method} has the effect write`;
  if (effect === 'write') yield idempotent || open ? null : 'what writes is idempotent: a retry must be safe';
  else yield idempotent ? 'only what writes keeps an answer for retries' : null;
  if (auditsReads) yield effect === 'read' && !open ? null : 'auditsReads is of reads: each write is audited';
  const takesDryRun = fieldNames(query).includes('dry_run');
  yield takesDryRun === (dryRun === true) ? null : 'dryRun: true and the query parameter dry_run belong together';
  if (dryRun) yield effect === 'write' ? null : 'only what writes can be run dry';
}

function* accessProblems({ id, path, family, effect, access, credentials }: AnyOperation): Generator<string | null> {
  if (access === 'public') {
    yield credentials === undefined ? null : 'a public operation takes no credential';
    return;
  }
  const [, noun = '', verb] = SCOPE.exec(access.scope) ?? [];
  yield verb === undefined ? `the scope "${access.scope}" is not <plural noun>:read or :write` : null;
  if (effect !== 'compute') yield verb === effect ? null : `an operation that ${effect}s needs a scope to ${effect}`;
  const nouns = [...path.split('/'), `${id.split('.')[0]}s`, id.split('.')[0]];
  const named = nouns.includes(noun) || SCOPE_NOUNS[noun]?.covers?.some((covered) => nouns.includes(covered));
  yield named ? null : `the scope's noun "${noun}" is in neither its path nor its id`;
  if (access.platform) yield access.role === 'admin' ? null : "the platform's operations are for administrators";
  if (typeof access.own === 'string') {
    yield parametersOf(path).includes(access.own) ? null : `own names "${access.own}", which the path does not have`;
  }
  const family_ = FAMILY_CREDENTIALS[family];
  yield credentials?.length === 0 ? 'it takes no form of credential: nobody could call it' : null;
  const foreign = credentials?.find((form) => !family_.includes(form));
  yield foreign === undefined ? null : `its family does not take the credential ${foreign}`;
  if (access.own !== undefined) {
    yield (credentials ?? family_).includes('user_token') ? null : 'own needs people, but it takes no user_token';
  }
}

/** Nouns whose writes may move coins, or speak for a wallet or an oracle. */
const SPENDING_NOUNS = [
  'compliance',
  'contracts',
  'messages',
  'oracles',
  'psbts',
  'taproot',
  'transactions',
  'wallets',
];

/** Who forgets to ask the account's rules is asked here whether there is anything to ask. */
function* spendingProblems({ effect, access, spends }: AnyOperation): Generator<string | null> {
  const noun = access === 'public' ? '' : (SCOPE.exec(access.scope)?.[1] ?? '');
  const mustSay = effect === 'write' && SPENDING_NOUNS.includes(noun);
  yield mustSay && spends === undefined
    ? `what writes ${noun} says what it spends, spends: ['payment'], or that it spends nothing, spends: []`
    : null;
  yield spends !== undefined && effect !== 'write' ? 'only what writes spends' : null;
}

/** Who forgets that a change of rules waits for approvals is asked here whether it is one. What is public has no rights to give. */
function* decidingProblems({ family, effect, access, changesRules }: AnyOperation): Generator<string | null> {
  const mustSay =
    effect === 'write' && access !== 'public' && (family === 'c' || DECIDING_SCOPES.includes(access.scope));
  yield mustSay && changesRules === undefined
    ? 'what writes here says what it changes of who may decide, changesRules: user, or that it gives nobody more, changesRules: false'
    : null;
  yield changesRules && effect !== 'write' ? 'only what writes changes rules' : null;
}

function* limitProblems({ path, access, limitClass }: AnyOperation): Generator<string | null> {
  const usual = limitClassOf(path);
  if (limitClass === 'none') yield access === 'public' ? null : 'only what is public can be without a limit';
  else yield limitClass === usual ? null : `it is of ${limitClass} class, but its path is of ${usual} class`;
}

function* bodyProblems(operation: AnyOperation): Generator<string | null> {
  const { method, path, body, bodyLimit = BODY_LIMIT, bodyContentType, secretBody, limitClass, success } = operation;
  if (body === undefined) {
    yield bodyContentType === undefined && secretBody === undefined && operation.bodyLimit === undefined
      ? null
      : 'bodyContentType, bodyLimit and secretBody say something of a body that it does not have';
  } else {
    yield method === 'GET' ? 'a GET has no body' : null;
    const guessable = fieldNames(body).find(
      (name) =>
        GUESSABLE.test(name) ||
        (HOLDS_KEYS.test(name) && !isObjectField(body, name)) ||
        (operation.effect === 'compute' && HOLDS_PUBLIC_KEYS.test(name)),
    );
    yield guessable === undefined || secretBody ? null : `its body has ${guessable}: it needs secretBody: true`;
  }
  const open = operation.access === 'public';
  const largest = open
    ? PUBLIC_BODY_LIMIT
    : limitClass === 'bulk' || LARGE_BODY.test(path)
      ? 10 * BODY_LIMIT
      : BODY_LIMIT;
  yield body === undefined || bodyLimit <= largest ? null : `its bodies may have ${largest} bytes, not ${bodyLimit}`;
  yield success.resultHeaders === undefined || open || operation.effect !== 'write'
    ? null
    : 'resultHeaders are not kept for retries: they are not for what writes';
  yield operation.conditional && success.etag === undefined ? 'what takes If-Match answers with an ETag' : null;
  yield success.status === 204 && success.contentType !== undefined ? 'an answer 204 has no content type' : null;
}

function* answerProblems(operation: AnyOperation): Generator<string | null> {
  const { access, effect, idempotent, secretAnswer, success } = operation;
  yield success.document && (access !== 'public' || effect !== 'read') ? 'a document is what everybody may read' : null;
  const secret = idempotent ? allFieldNames(success.schema).find((name) => SHOWN_ONCE.test(name)) : undefined;
  yield secret === undefined || secretAnswer ? null : `its kept answer has ${secret}: it needs secretAnswer: true`;
  yield secretAnswer && !idempotent ? 'secretAnswer says something of a kept answer that it does not have' : null;
}

const parametersOf = (path: string): string[] => [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name as string);

const same = (some: readonly string[], others: readonly string[]): boolean =>
  some.length === others.length && some.every((name) => others.includes(name));

/** What has fields of its own (a contract's descriptor) is no text that a key could be pasted into. */
function isObjectField(schema: z.ZodType, name: string): boolean {
  const inner = schema as { shape?: Record<string, z.ZodType>; unwrap?: () => z.ZodType; in?: z.ZodType };
  const field = inner.shape?.[name];
  if (field !== undefined) return fieldNames(field).length > 0;
  if (inner.unwrap !== undefined) return isObjectField(inner.unwrap(), name);
  return isSchema(inner.in) && isObjectField(inner.in, name);
}

/** The same of all objects within. */
function allFieldNames(schema: z.ZodType): string[] {
  const { element } = schema as { element?: unknown };
  if (isSchema(element)) return allFieldNames(element);
  const inner = schema as {
    shape?: Record<string, z.ZodType>;
    unwrap?: () => z.ZodType;
    options?: readonly z.ZodType[];
  };
  if (inner.shape !== undefined)
    return Object.entries(inner.shape).flatMap(([name, member]) => [name, ...allFieldNames(member)]);
  if (Array.isArray(inner.options)) return inner.options.flatMap((one) => (isSchema(one) ? allFieldNames(one) : []));
  return inner.unwrap === undefined ? [] : allFieldNames(inner.unwrap());
}

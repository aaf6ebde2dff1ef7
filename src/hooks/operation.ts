/**
 * Every operation is declared once, here is the form. From the declaration come the route, validation, authentication and
 * authorization, the OpenAPI entry, the metric label, and (as the layer grows) signature, limit and audit.
 * A route that is not an operation fails the boot (hooks/register-operations.ts).
 */
import type { z } from 'zod';
import type { DomainErrorCode } from '../core/errors.ts';
import type { SpendingOperation } from '../core/policies/policy.ts';
import type { RequestContext } from '../services/requests/request-context.ts';
import type { Role } from '../store/records.ts';

export type Family = 'a' | 'b' | 'c' | 'd' | 'e' | 'f' | 'g' | 'oauth' | 'service';
/** read: changes nothing. write: changes stored state or uses a stored secret. compute: works on what the caller sent. */
export type Effect = 'read' | 'write' | 'compute';
type LimitClass = 'standard' | 'bulk' | 'voting' | 'none';
type Scope = `${string}:${'read' | 'write'}`;
/** How a credential is presented: two are one kind of bearer token, the last is an RFC 9421 signature without Authorization header. */
export type CredentialForm = 'api_key' | 'oauth_token' | 'user_token' | 'signature';
export type Access =
  | 'public'
  | {
      readonly scope: Scope;
      readonly role: Role;
      /** Only for the account that runs the service. */
      readonly platform?: true;
      /**
       * Path parameter holding a user id: that person needs neither role nor scope nor signature. true: it works on nothing but what is
       * the asking person's own. The service limits what they may change.
       */
      readonly own?: string | true;
    };

/** What each family takes where an operation says nothing else (docs/security.md). */
export const FAMILY_CREDENTIALS: Readonly<Record<Family, readonly CredentialForm[]>> = {
  a: ['api_key', 'oauth_token', 'user_token'],
  b: ['api_key', 'oauth_token', 'user_token'],
  c: ['api_key', 'oauth_token', 'user_token'],
  d: ['oauth_token', 'user_token'],
  e: ['api_key', 'oauth_token'],
  f: ['api_key'],
  g: ['api_key', 'signature'],
  oauth: [],
  service: ['api_key', 'oauth_token', 'user_token'],
};

/** Bytes of a body unless its operation says otherwise. */
export const BODY_LIMIT = 1024 * 1024;

/** Bytes of a body that is read of whoever sends one: names, passwords and tokens are far shorter. */
export const PUBLIC_BODY_LIMIT = 16 * 1024;

/** A zod object, strict: unknown members are refused by name. */
type Shape = z.ZodType;

export interface Operation<
  Params extends Shape = Shape,
  Query extends Shape = Shape,
  Body extends Shape = Shape,
  Result = unknown,
> {
  /** `<noun>.<verb>`; the file is `<verb>-<noun>.ts`. Also OpenAPI's operationId, the metric label and the audit row's operation. */
  readonly id: string;
  readonly family: Family;
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** OpenAPI form: /api/v1/wallets/{wallet_id} */
  readonly path: string;
  readonly summary: string;
  readonly description?: string;
  readonly tag: string;
  readonly effect: Effect;
  readonly access: Access;
  /** Forms of credential it takes; the family's unless said. */
  readonly credentials?: readonly CredentialForm[];
  readonly limitClass: LimitClass;
  /** Takes an Idempotency-Key (or the signature's nonce) whose answer is committed with the effect. */
  readonly idempotent: boolean;
  /** Takes `?dry_run=true`, which makes the request a computation: unsigned, not audited, nothing kept. */
  readonly dryRun?: true;
  /** The body may hold a password, seed or key, if only by mistake: no digest of it is logged or kept, because that would let the secret be guessed. */
  readonly secretBody?: true;
  /** Strings of the body may hold NUL, which no database takes: nothing of them is stored, and fields that may not say so themselves. */
  readonly takesNul?: true;
  /**
   * The answer holds a secret that is shown once. A retry gets it again only from the credential that it was answered to: what one may be
   * given was decided for that one.
   */
  readonly secretAnswer?: true;
  /**
   * What the account's rules are asked before it does it (services/policies/gate.ts). Said by every write of a noun that has coins or keys, if
   * only that it is nothing.
   */
  readonly spends?: readonly SpendingOperation[];
  /**
   * It changes who may decide, or by which rules: where the account's `policy_change` is set it waits for approvals, whose text shows records
   * as this presents them (no secret); its jobs say how in `recordRequest`. false: it does not, or only takes away. Said by every write of
   * family C.
   */
  readonly changesRules?: false | { present(record: never): object };
  /**
   * A public operation or a read on which a signature that is sent must hold. On a public one by whichever enrolled key: the service says
   * whose it may be. A read may answer more to who signs.
   */
  readonly bindsSignature?: true;
  /** A read of data of people: each answer that has some is a record of the audit log (services/audit/record-read.ts). */
  readonly auditsReads?: true;
  /**
   * Its answer may go on for longer than a request may take, once it has begun: the service ends it. Says what to do about one that has not
   * begun in that time.
   */
  readonly outlasts?: string;
  /** Takes If-Match, which `run` gets: it changes only what is still of that version. */
  readonly conditional?: true;
  readonly params?: Params;
  /** Its path ends with an id of others' making, which may hold slashes, escaped or not. */
  readonly takesSlashes?: true;
  readonly query?: Query;
  readonly body?: Body;
  /** Bytes; 1 MiB unless said. */
  readonly bodyLimit?: number;
  /**
   * Media type of a request body that is not JSON: `body` is then a schema over the whole text (UTF-8, checked); over an object of
   * strings where it is a form (hooks/input/form-bodies.ts).
   */
  readonly bodyContentType?: string;
  readonly success: {
    /** 302: to where `resultHeaders` says, with a body for who does not follow. */
    readonly status: 200 | 201 | 202 | 204 | 302;
    readonly schema: z.ZodType;
    readonly description: string;
    /** Headers of every such answer: how it may be cached, say. */
    readonly headers?: Readonly<Record<string, string>>;
    /** Headers of this very answer: Location, Set-Cookie. Not of what writes: answers that are kept have none. */
    readonly resultHeaders?: (result: Result) => Readonly<Record<string, string | string[]>>;
    /** The version of what is answered, of the wire body: its ETag, which an If-Match may name (`conditional`). Kept answers have it, too. */
    readonly etag?: (body: never) => string;
    /** Media type of an answer that is not JSON, unless `resultHeaders` says another: `present` then gives its text, and `schema` is z.string(). */
    readonly contentType?: string;
    /** Those that `resultHeaders` may say besides. */
    readonly otherContentTypes?: readonly string[];
    /**
     * `present` gives a PublicDocument (hooks/documents): sent compressed, and not again to whoever has it. Public operations only: secrets
     * that are compressed beside what a stranger chooses are told by the length (BREACH).
     */
    readonly document?: true;
    /** Sent compressed to who takes it. Where no stranger makes a client ask, who could tell by the length what else is in it (BREACH). */
    readonly compressed?: true;
    /** `present` gives a Readable, and the answer is sent as it comes: for what is of any length. A function: where the result is such. */
    readonly streamed?: true | ((result: Result) => boolean);
    /** What is done only when others have agreed to it: with the same body, unless it has a schema of its own, which `present` then gives. */
    readonly waiting?: {
      readonly status: 202;
      readonly schema?: z.ZodType;
      readonly description: string;
      readonly when: (result: Result) => boolean;
      readonly example: unknown;
    };
    /** A second status with the same body, where the result calls for it (readiness, dry runs). */
    readonly otherwise?: {
      readonly status: 200 | 503;
      readonly description: string;
      readonly when: (result: Result) => boolean;
      /** An answer of this status. */
      readonly example: unknown;
    };
  };
  /** Domain errors that this operation can answer beyond the ones every operation can. */
  readonly errors: readonly DomainErrorCode[];
  /** A request body (and an answer) that works, for the documentation; tests send the request ones. */
  readonly example?: {
    readonly params?: Record<string, unknown>;
    readonly query?: Record<string, unknown>;
    readonly body?: unknown;
    readonly response?: unknown;
  };
  /**
   * Whether a body of so many bytes is worked on in a worker thread, from its text to the answer's; where it need not be for its length, told
   * by what it says, unchecked. Such an operation works on nothing but the body and what `lookUp` found; it is among
   * app/worker-operations.ts.
   */
  inWorker?(bytes: number, body: unknown): boolean;
  /** What it must know of the chain, for lookUp; null where that is nothing. */
  asks?(body: z.output<Body>, context: RequestContext): Promise<unknown>;
  /** Answers what it asks, in the serving thread. */
  lookUp?(asked: unknown, context: RequestContext): Promise<unknown>;
  run(
    input: {
      params: z.output<Params>;
      query: z.output<Query>;
      body: z.output<Body>;
      /** The Authorization header of a public operation, which may identify a client by it (RFC 6749 §2.3.1); else null. */
      authorization: string | null;
      /** The Cookie header of a public operation; else null. */
      cookie: string | null;
      /** The If-Match header of a conditional operation; null where there is none. */
      ifMatch: string | null;
      /** The body's text as it was sent, which the signature's digest is of. */
      sent: () => string;
      /** What lookUp answered; null where nothing was asked. */
      found: unknown;
    },
    context: RequestContext,
  ): Promise<Result>;
  /** The wire body of a result. Pure: it also renders the answer that is kept for retries. */
  present(result: Result): unknown;
}

// biome-ignore lint/suspicious/noExplicitAny: a list holds operations of every shape; each is checked where it is declared
export type AnyOperation = Operation<any, any, any, any>;

const BULK = /\/(bulk|export|import)$/;
const VOTING = /\/(vote|tokens\/delegate)$/;

/** The class of a path, unless its operation has no limit. */
export const limitClassOf = (path: string): LimitClass =>
  BULK.test(path) ? 'bulk' : VOTING.test(path) ? 'voting' : 'standard';

type Defaulted = 'idempotent' | 'limitClass' | 'errors';
type Success<Result> = Operation<Shape, Shape, Shape, Result>['success'];
/** What a noun looks like: its schema, and what makes its wire body (families/answer.ts). */
interface Answer<Result> {
  readonly schema: z.ZodType;
  readonly present: (result: Result) => unknown;
}
type Answered<Result> =
  | { readonly success: Success<Result>; present(result: Result): unknown }
  | { readonly success: Omit<Success<Result>, 'schema'> & { readonly answer: Answer<Result> } };

export type Declaration<Params extends Shape, Query extends Shape, Body extends Shape, Result> = Omit<
  Operation<Params, Query, Body, Result>,
  Defaulted | 'success' | 'present'
> &
  Partial<Pick<Operation, Defaulted>> &
  Answered<Result>;

/**
 * Types the declaration from its schemas, and says what follows: a write is idempotent, where a credential is needed; its path has a class;
 * what spends may be denied by a rule;
 * `success.answer` gives schema and `present`.
 */
export function operation<Params extends Shape, Query extends Shape, Body extends Shape, Result>(
  declaration: Declaration<Params, Query, Body, Result>,
): Operation<Params, Query, Body, Result> {
  const { effect, access, path, spends = [] } = declaration;
  const idempotent = effect === 'write' && access !== 'public';
  const errors = [...(declaration.errors ?? []), ...(spends.length > 0 ? (['policy_denied'] as const) : [])];
  return { idempotent, limitClass: limitClassOf(path), ...declaration, errors, ...answered(declaration) };
}

function answered<Result>(
  declaration: Answered<Result>,
): Pick<Operation<Shape, Shape, Shape, Result>, 'success' | 'present'> {
  if ('present' in declaration) return { success: declaration.success, present: declaration.present };
  const { answer, ...success } = declaration.success;
  return { success: { ...success, schema: answer.schema }, present: answer.present };
}

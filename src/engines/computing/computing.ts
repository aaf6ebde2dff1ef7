/** Functions by name; what each is given crosses between threads. */
export type Jobs = Readonly<Record<string, (given: never, tools: never) => unknown>>;
export type GivenTo<All extends Jobs, Name extends keyof All> = Parameters<All[Name]>[0];
export type MadeBy<All extends Jobs, Name extends keyof All> =
  ReturnType<All[Name]> extends Promise<infer Made> ? Made : ReturnType<All[Name]>;

/** A request that is worked on in a worker thread as a whole. */
export interface AnswerGiven {
  /** The operation's id. */
  readonly operation: string;
  /** JSON text; may hold a key, and is overwritten. */
  readonly body: Uint8Array<ArrayBuffer>;
  /** What was looked up for it; undefined where it was not asked yet what that is. */
  readonly found: unknown;
}

export type AnswerMade =
  /** Its body, UTF-8. */
  | { readonly answer: Uint8Array<ArrayBuffer> }
  /** What it must know first. */
  | { readonly asked: unknown }
  /** The body is no JSON. */
  | { readonly malformed: { readonly slug: string; readonly reason: string } };

export type AnswerJobs = Readonly<Record<'operation.answer', (given: AnswerGiven) => Promise<AnswerMade>>>;

/** Computes what may take long beside the thread that answers requests. */
export interface Computing<All extends Jobs> {
  /**
   * Throws what the job throws (a refusal of the same code, sentence and details, whose class may be DomainError alone), `too_large` where
   * it takes too long or too much memory, `unavailable` where too much waits, the worker ends or the service closes. Byte arrays in
   * `transfer` are empty here afterwards.
   */
  run<Name extends keyof All & string>(
    name: Name,
    given: GivenTo<All, Name>,
    transfer?: readonly Uint8Array<ArrayBuffer>[],
  ): Promise<MadeBy<All, Name>>;
}

export interface PartOptions {
  readonly transfer?: readonly Uint8Array<ArrayBuffer>[];
  /** Rejects with its reason. A part that has begun ends in its thread, for nobody. */
  readonly signal?: AbortSignal | undefined;
}

/** Long work, cut into parts of a fraction of a second, so that what requests wait for goes between them. */
export interface LongComputing<All extends Jobs> {
  /** Parts that can be worked on at a time. */
  readonly parallel: number;
  /** As run, but one waits for its turn as long as that takes, behind requests' jobs. */
  runPart<Name extends keyof All & string>(
    name: Name,
    given: GivenTo<All, Name>,
    options?: PartOptions,
  ): Promise<{ readonly made: MadeBy<All, Name>; readonly tookMs: number }>;
}

export interface Closable {
  /** Refuses what comes and what waits; what is under way has `graceMs` to end. */
  close(graceMs?: number): Promise<void>;
}

/** Functions by name; what each is given crosses between threads. */
type Jobs = Readonly<Record<string, (given: never, tools: never) => unknown>>;
export type JobInput<All extends Jobs, Name extends keyof All> = Parameters<All[Name]>[0];
export type JobOutput<All extends Jobs, Name extends keyof All> =
  ReturnType<All[Name]> extends Promise<infer Made> ? Made : ReturnType<All[Name]>;

/** A request that is worked on in a worker thread as a whole. */
export interface AnswerParams {
  /** The operation's id. */
  readonly operation: string;
  /** JSON text; may hold a key, and is overwritten. */
  readonly body: Uint8Array<ArrayBuffer>;
  /** What was looked up for it; undefined where it was not asked yet what that is. */
  readonly found: unknown;
}

export type AnswerResult =
  /** Its body, UTF-8. */
  | { readonly answer: Uint8Array<ArrayBuffer> }
  /** What it must know first. */
  | { readonly asked: unknown }
  /** The body is no JSON. */
  | { readonly malformed: { readonly slug: string; readonly reason: string } };

export type AnswerJobs = Readonly<Record<'operation.answer', (given: AnswerParams) => Promise<AnswerResult>>>;

/** Pages of the documentation by name, UTF-8. */
export type PageJobs = Readonly<
  Record<
    'pages.make',
    (given: { readonly group: 'guides' | 'reference' | 'sections' }) => Promise<Readonly<Record<string, Uint8Array>>>
  >
>;

/** For whom something is computed. */
export interface ComputingFor {
  /** Accounts take turns; one whose own jobs are too many is refused. '' is whoever has none. */
  readonly accountId: string;
  /** Rejects with its reason. What has begun is ended soon after, for nobody. */
  readonly signal?: AbortSignal | undefined;
  /** Byte arrays that are empty here afterwards. */
  readonly transfer?: readonly Uint8Array<ArrayBuffer>[];
}

/** Computes what may take long beside the thread that answers requests. */
export interface Computing<All extends Jobs> {
  /**
   * Throws what the job throws (a refusal of the same code, sentence and details, whose class may be DomainError alone), `too_large` where
   * it takes too long or too much memory, `unavailable` where too much of the account's waits, the worker ends or the service closes.
   */
  run<Name extends keyof All & string>(
    name: Name,
    given: JobInput<All, Name>,
    whose: ComputingFor,
  ): Promise<JobOutput<All, Name>>;
}

/** Long work, cut into parts of a fraction of a second, so that what requests wait for goes between them. */
export interface LongComputing<All extends Jobs> {
  /** Parts that can be worked on at a time. */
  readonly parallel: number;
  /** As run, but one waits for its turn as long as that takes, behind requests' jobs. */
  runPart<Name extends keyof All & string>(
    name: Name,
    given: JobInput<All, Name>,
    whose: ComputingFor,
  ): Promise<{ readonly made: JobOutput<All, Name>; readonly tookMs: number }>;
}

export interface Closable {
  /** Jobs that are computed now, and those that wait. */
  load(): { running: number; waiting: number };
  /** Refuses what comes and what waits; what is under way has `graceMs` to end. */
  close(graceMs?: number): Promise<void>;
}

import type { FastifyBaseLogger } from 'fastify';

type Level = 'fatal' | 'error' | 'warn' | 'info' | 'debug' | 'trace';
type Said = Parameters<FastifyBaseLogger['info']>;

/**
 * A request's logger, made when something is first logged through it: pino's child costs a fair part of a quick read, and most requests
 * log one line only, which request-log.ts writes through the service's own logger.
 */
export class LazyChildLogger {
  readonly #parent: FastifyBaseLogger;
  readonly #bindings: Record<string, unknown>;
  #child: FastifyBaseLogger | null = null;

  constructor(parent: FastifyBaseLogger, bindings: Record<string, unknown>) {
    this.#parent = parent;
    this.#bindings = bindings;
  }

  #own(): FastifyBaseLogger {
    this.#child ??= this.#parent.child(this.#bindings);
    return this.#child;
  }

  #say(level: Level, said: unknown[]): void {
    this.#own()[level](...(said as Said));
  }

  get level(): string {
    return this.#parent.level;
  }

  fatal(...said: unknown[]): void {
    this.#say('fatal', said);
  }
  error(...said: unknown[]): void {
    this.#say('error', said);
  }
  warn(...said: unknown[]): void {
    this.#say('warn', said);
  }
  info(...said: unknown[]): void {
    this.#say('info', said);
  }
  debug(...said: unknown[]): void {
    this.#say('debug', said);
  }
  trace(...said: unknown[]): void {
    this.#say('trace', said);
  }
  silent(): void {}

  child(...input: Parameters<FastifyBaseLogger['child']>): FastifyBaseLogger {
    return this.#own().child(...input);
  }
}

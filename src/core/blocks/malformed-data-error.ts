/** Bytes that are not what they should be: the only error the parsers of this folder throw. */
export class MalformedDataError extends Error {
  /** Where in the bytes it was noticed. */
  readonly offset: number;

  constructor(what: string, offset: number) {
    super(`${what} (at byte ${offset})`);
    this.name = 'MalformedDataError';
    this.offset = offset;
  }
}

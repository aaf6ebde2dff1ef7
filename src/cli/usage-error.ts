/** The command line was wrong: the message says what would be right. */
export class UsageError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'UsageError';
  }
}

/** Of a command that is not complete: the form that it has. */
export const usage = (form: string): UsageError => new UsageError(`usage: ${form}`);

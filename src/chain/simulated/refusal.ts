/**
 * Why a transaction or block is not taken, in Bitcoin Core's words. `final`: the same bytes cannot do better later. Thrown and caught
 * within this folder, so it needs no stack.
 */
export class Refusal extends Error {
  readonly final: boolean;

  constructor(reason: string, { final }: { final: boolean }) {
    const limit = Error.stackTraceLimit;
    Error.stackTraceLimit = 0;
    super(reason);
    Error.stackTraceLimit = limit;
    this.name = 'Refusal';
    this.final = final;
  }
}

export const never = (reason: string): Refusal => new Refusal(reason, { final: true });
export const notNow = (reason: string): Refusal => new Refusal(reason, { final: false });

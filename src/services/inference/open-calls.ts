/**
 * Calls of models that are under way: so many of an account and in all, so that none has what the others wait for. Each ends when its time is
 * over, when nothing comes for too long, or when the service ends.
 */
import { DomainError } from '../../core/errors.ts';
import type { AccountId } from '../../core/ids.ts';
import { onAbort } from '../../scheduling/on-abort.ts';

export interface OpenCallsOptions {
  readonly ofAccount: number;
  readonly all: number;
  /** How long one lasts at most. */
  readonly lastsMs: number;
  /** How long one waits for the next piece. */
  readonly silenceMs: number;
}

export interface OpenCall {
  /** Aborts when the call is given up. */
  readonly signal: AbortSignal;
  /** Said before waiting for the next piece, and when it is there. */
  waits(): void;
  hears(): void;
  /** However often it is said. */
  end(): void;
}

const RETRY_AFTER_SECONDS = 5;

export function createOpenCalls({ ofAccount, all, lastsMs, silenceMs }: OpenCallsOptions) {
  const open = new Set<AbortController>();
  const counts = new Map<AccountId, number>();

  function count(accountId: AccountId, by: number): void {
    const now = (counts.get(accountId) ?? 0) + by;
    if (now > 0) counts.set(accountId, now);
    else counts.delete(accountId);
  }

  return {
    /** Throws `rate_limited` where the account, or the service, has as many as it may have. */
    begin(accountId: AccountId, client: AbortSignal): OpenCall {
      if ((counts.get(accountId) ?? 0) >= ofAccount)
        throw tooMany(`the account has ${ofAccount} answers of models under way, which is the most: let one end first`);
      if (open.size >= all) throw tooMany(`the service has ${all} answers of models under way, which is the most`);
      client.throwIfAborted();
      const controller = new AbortController();
      open.add(controller);
      count(accountId, 1);
      let waiting = true;
      const giveUp = (sentence: string): void => controller.abort(new DomainError('unavailable', sentence));
      const forget = onAbort(client, (reason) => {
        controller.abort(reason);
        // Nobody may have begun to go through the answer.
        end();
      });
      const whole = setTimeout(giveUp, lastsMs, `the answer took longer than ${seconds(lastsMs)}, and was ended`);
      const silence = setTimeout(() => {
        // Neither may keep a place of the upstream without doing anything with it.
        const who = waiting ? 'the model said nothing' : 'the answer was not read';
        giveUp(`${who} for ${seconds(silenceMs)}, and the answer was ended`);
      }, silenceMs);
      const end = (): void => {
        if (!open.delete(controller)) return;
        count(accountId, -1);
        forget();
        clearTimeout(whole);
        clearTimeout(silence);
      };
      return {
        signal: controller.signal,
        waits() {
          waiting = true;
          silence.refresh();
        },
        hears() {
          waiting = false;
          silence.refresh();
        },
        end,
      };
    },
    /** Ends all of them. */
    stop(): void {
      const stopping = new DomainError('unavailable', 'the service stops: ask again in a moment');
      for (const controller of open) controller.abort(stopping);
    },
  };
}

const seconds = (ms: number): string => `${ms / 1000} s`;

const tooMany = (sentence: string): DomainError =>
  new DomainError('rate_limited', sentence, { retryAfterSeconds: RETRY_AFTER_SECONDS });

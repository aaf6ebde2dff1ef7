import type { Store } from '../store/store.ts';
import { sharedAnswer } from './blockchain/shared-answer.ts';

const PROBED = 'readiness.written';
/** About what a payment writes, so that where this finds room a payment does. Never the same, and nothing that can be packed smaller. */
const BYTES = 12_288;
const EVERY_MS = 5_000;

/**
 * Whether the database takes writes, known by one: null, or why it does not. At most every five seconds, or less often where writing is slow,
 * however many ask.
 */
export function createWriteProbe(deps: {
  store: Pick<Store, 'write'>;
  randomBytes: (size: number) => Uint8Array;
  clock: () => number;
  /** Gives up waiting. */
  inTime: <T>(asked: Promise<T>) => Promise<T>;
}): () => Promise<string | null> {
  const { store, randomBytes, clock, inTime } = deps;

  /** One at a time: while writes hang, looks wait for the same. */
  let writing: Promise<void> | null = null;

  function write(): Promise<void> {
    const value = Buffer.from(randomBytes(BYTES)).toString('base64');
    writing ??= store
      .write((tx) => tx.settings.set(PROBED, value))
      .finally(() => {
        writing = null;
      });
    return writing;
  }

  const probe = (): Promise<string | null> =>
    inTime(write()).then(
      () => null,
      (error: Error) => error.message,
    );

  return sharedAnswer(probe, clock, EVERY_MS);
}

import { setImmediate as endOfTurn } from 'node:timers/promises';

/**
 * One answer for all who ask in one turn of the event loop, and for all who ask while the one before is under way: it is asked for after each
 * of them came, so that nobody is given what was true before. A failure is shared as well.
 */
export function joinedAnswer<T>(ask: () => Promise<T>): () => Promise<T> {
  let underWay: Promise<T> | null = null;
  let next: Promise<T> | null = null;

  async function start(): Promise<T> {
    await endOfTurn();
    next = null;
    const asked = ask();
    underWay = asked;
    const ended = () => {
      if (underWay === asked) underWay = null;
    };
    asked.then(ended, ended);
    return asked;
  }

  return () => {
    next ??= underWay === null ? start() : underWay.then(start, start);
    return next;
  };
}

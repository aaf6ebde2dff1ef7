/**
 * One answer for all who ask while the one before is under way: it is asked for after each of them came, so that nobody is given what was
 * true before. A failure is shared as well.
 */
export function joinedAnswer<T>(ask: () => Promise<T>): () => Promise<T> {
  let underWay: Promise<T> | null = null;
  let next: Promise<T> | null = null;

  function start(): Promise<T> {
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
    if (underWay === null) return start();
    next ??= underWay.then(start, start);
    return next;
  };
}

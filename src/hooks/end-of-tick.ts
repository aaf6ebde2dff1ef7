/**
 * A wait until the present turn of the event loop has ended, shared by all who wait in it. Answers that become ready in one turn are
 * written one after another at its end: the peers are woken once for many of them instead of once for each, which on a busy socket
 * costs more than making the answer.
 */
export function createEndOfTick(): () => Promise<void> {
  let ending: Promise<void> | null = null;
  return () => {
    ending ??= new Promise((resolve) => {
      setImmediate(() => {
        ending = null;
        resolve();
      });
    });
    return ending;
  };
}

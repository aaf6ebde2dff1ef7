/** Counts a client's messages in windows of one second. */
export interface MessageBudget {
  /** False where this message is one too many. */
  spend(): boolean;
}

export function createMessageBudget(perSecond: number, clock: () => number): MessageBudget {
  let windowStart = clock();
  let spent = 0;
  return {
    spend() {
      const now = clock();
      if (now - windowStart >= 1_000) {
        windowStart = now;
        spent = 0;
      }
      spent += 1;
      return spent <= perSecond;
    },
  };
}

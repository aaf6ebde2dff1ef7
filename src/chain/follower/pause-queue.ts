/** Work of others that is done while the follower stands still: between its steps, or at once where it is not running. */
export interface PauseQueue {
  add<T>(work: () => Promise<T>): Promise<T>;
  /** Does what waits, one after the other. */
  serve(): Promise<void>;
  /** Nothing more will be served: what waits is refused. */
  refuse(error: Error): void;
}

export function createPauseQueue(): PauseQueue {
  let jobs: { run: () => Promise<void>; refuse: (error: Error) => void }[] = [];
  let serving: Promise<void> = Promise.resolve();

  return {
    add(work) {
      return new Promise((resolve, reject) => {
        jobs.push({ run: () => work().then(resolve, reject), refuse: reject });
      });
    },
    serve() {
      // In a row even when two ask at once: a job never runs beside another, nor beside the follower that waits for this.
      serving = serving.then(async () => {
        for (let job = jobs.shift(); job; job = jobs.shift()) await job.run();
      });
      return serving;
    },
    refuse(error) {
      const refused = jobs;
      jobs = [];
      for (const job of refused) job.refuse(error);
    },
  };
}

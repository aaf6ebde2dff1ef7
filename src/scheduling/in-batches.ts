/** Runs a job that does at most `most` of something until it finds fewer: others have their turn in between. Answers how many there were. */
export async function inBatches(most: number, job: () => Promise<number>): Promise<number> {
  for (let all = 0; ; ) {
    const done = await job();
    all += done;
    if (done < most) return all;
  }
}

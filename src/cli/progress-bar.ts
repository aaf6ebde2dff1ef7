/** How far long work is, on stderr: a bar where a person looks on, a line for each tenth elsewhere. Nothing for what is done at once. */
const SHOW_AFTER_MS = 1_000;
const REDRAW_MS = 100;
const WIDTH = 40;

export function progressBar(
  what: string,
  out: NodeJS.WriteStream,
  now: () => number = performance.now.bind(performance),
) {
  const startedAt = now();
  let drawnAt = startedAt;
  let tenths = 0;
  let shown = false;

  function draw(done: number, total: number): void {
    const filled = Math.round((done / total) * WIDTH);
    out.write(`\r${what} [${'#'.repeat(filled)}${'.'.repeat(WIDTH - filled)}] ${done} of ${total}`);
    shown = true;
  }

  return {
    show(done: number, total: number) {
      const at = now();
      if (at - startedAt < SHOW_AFTER_MS) return;
      if (out.isTTY) {
        if (at - drawnAt < REDRAW_MS && done < total) return;
        drawnAt = at;
        draw(done, total);
      } else if (Math.floor((done * 10) / total) > tenths) {
        tenths = Math.floor((done * 10) / total);
        out.write(`${what}: ${done} of ${total}\n`);
      }
    },
    end() {
      if (shown) out.write('\n');
    },
  };
}

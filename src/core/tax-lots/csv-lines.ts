/** Lines of an uploaded CSV, from 1. An empty one at the end is none; another is a line. */
export function* csvLines(csv: string): Generator<{ readonly number: number; readonly line: string }> {
  for (let [start, number] = [0, 1]; start < csv.length; number++) {
    const end = csv.indexOf('\n', start);
    const line = csv.slice(start, end < 0 ? csv.length : end).replace(/\r$/, '');
    start = end < 0 ? csv.length : end + 1;
    if (number === 1) yield { number, line: line.replace(/^\uFEFF/, '') };
    else if (line !== '' || start < csv.length) yield { number, line };
  }
}

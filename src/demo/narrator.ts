import { styleText } from 'node:util';

/** Prints the story: numbered steps, facts below them, and live events in a colour of their own as they arrive. */
export function createNarrator(write: (line: string) => void) {
  let step = 0;
  return {
    title: (text: string) => write(`\n${styleText('bold', text)}`),
    step: (text: string) => {
      step += 1;
      write(`\n${styleText(['bold', 'cyan'], `${step}.`)} ${styleText('bold', text)}`);
    },
    fact: (name: string, value: string) => write(`   ${styleText('gray', name.padEnd(12))} ${value}`),
    event: (text: string) => write(`   ${styleText('yellow', '◉ live')}       ${styleText('yellow', text)}`),
    done: (text: string) => write(`\n${styleText(['bold', 'green'], text)}\n`),
  };
}

export type Narrator = ReturnType<typeof createNarrator>;

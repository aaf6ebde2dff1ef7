import { styleText } from 'node:util';

/** Prints the story: numbered steps, facts below them, and live events in a colour of their own as they arrive. */
export interface Narrator {
  title(text: string): void;
  step(text: string): void;
  fact(name: string, value: string): void;
  event(text: string): void;
  done(text: string): void;
}

export function createNarrator(write: (line: string) => void): Narrator {
  let step = 0;
  return {
    title: (text) => write(`\n${styleText('bold', text)}`),
    step: (text) => {
      step += 1;
      write(`\n${styleText(['bold', 'cyan'], `${step}.`)} ${styleText('bold', text)}`);
    },
    fact: (name, value) => write(`   ${styleText('gray', name.padEnd(12))} ${value}`),
    event: (text) => write(`   ${styleText('yellow', '◉ live')}       ${styleText('yellow', text)}`),
    done: (text) => write(`\n${styleText(['bold', 'green'], text)}\n`),
  };
}

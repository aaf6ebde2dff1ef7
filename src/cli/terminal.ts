/** What a command may use of the process. */
export interface Terminal {
  env: NodeJS.ProcessEnv;
  out(text: string): void;
  err(text: string): void;
  stdin(): Promise<string>;
}

export const printJson = (terminal: Terminal, value: unknown): void => terminal.out(JSON.stringify(value, null, 2));

/** What would move the cursor, or turn the direction of writing: C0 but line feed and tab, C1, and the marks for bidirectional text. */
const CONTROLS = /[^\P{Cc}\n\t]|[\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/gu;

/** Text of files and services, as JSON would escape it. */
export const printable = (text: string): string =>
  text.replace(CONTROLS, (found) => `\\u${found.charCodeAt(0).toString(16).padStart(4, '0')}`);

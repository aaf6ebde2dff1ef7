/** What a command may use of the process. */
export interface Terminal {
  env: NodeJS.ProcessEnv;
  out(text: string): void;
  err(text: string): void;
  stdin(): Promise<string>;
}

export const printJson = (terminal: Terminal, value: unknown): void => terminal.out(JSON.stringify(value, null, 2));

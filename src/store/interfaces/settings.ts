/** Service-wide facts: master key check value, chain binding, sequence counters. */
export interface SettingsRepository {
  get(name: string): Promise<string | null>;
  /** Inserts or overwrites. */
  set(name: string, value: string): Promise<void>;
  /** Inserts unless there; answers the value that stands. */
  setOnce(name: string, value: string): Promise<string>;
}

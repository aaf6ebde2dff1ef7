/** Counting how often: one count for all processes where REDIS_URL is set, else one for each. */

export interface Allowance {
  readonly limit: number;
  readonly remaining: number;
  /** Unix seconds at which the window ends. */
  readonly resetAt: number;
  /** False where the limit was reached before this. */
  readonly allowed: boolean;
}

export interface Attempts {
  /** Counts one attempt under a name that says what is limited, such as `login address 10.0.0.1`. */
  count(name: string, allowed: { limit: number; windowSeconds: number }): Promise<Allowance>;
  /** How the count stands, without counting. */
  look(name: string, allowed: { limit: number; windowSeconds: number }): Promise<Allowance>;
}

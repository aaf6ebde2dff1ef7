export interface EventKey {
  readonly oracleId: string;
  readonly eventId: string;
}

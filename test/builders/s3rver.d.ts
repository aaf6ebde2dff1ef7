/** As much of it as the tests use. */
declare module 's3rver' {
  export default class S3rver {
    constructor(settings: object);
    run(): Promise<unknown>;
    close(): Promise<void>;
  }
}

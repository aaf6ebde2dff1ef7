export type { ChainSink } from './chain-sink.ts';
export { createFollower, type Follower } from './follower.ts';

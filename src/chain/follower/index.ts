export { type BlockMatcher, createBlockMatcher } from './block-matcher.ts';
export type { Applied, ChainSink, MatchedBlock } from './chain-sink.ts';
export { createFollower, type Follower, type FollowerStatus, type OwnMissing } from './follower.ts';

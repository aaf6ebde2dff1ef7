export { createFollower, type Follower } from './follower.ts';
export type { OwnSends } from './own-sends.ts';

export { createFollower, type Follower } from './follower.ts';

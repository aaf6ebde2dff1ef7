/** Why a node does not count as reachable. Where nothing answers, it does not matter why: nobody learns of ports and names from it. */
export type NodeProblem = 'not_allowed' | 'no_connection' | 'no_handshake' | 'other_network' | 'self';

export class NodeRefused extends Error {
  readonly problem: NodeProblem;
  constructor(problem: NodeProblem) {
    super(problem);
    this.name = 'NodeRefused';
    this.problem = problem;
  }
}

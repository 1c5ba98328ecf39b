/** Title, exit code and advice of a problem code. */
interface Meaning {
  /** Short title for people. */
  readonly title: string
  /** Exit code of the command line: 1 failed, 3 input invalid, 4 over the quarantine limit, 5 refused by a policy, 130 interrupted. */
  readonly exit: 1 | 3 | 4 | 5 | 130
  /** How to resolve it. */
  readonly advice: string
}

/** Problem that only the toolkit reports; servers never respond with it. */
export interface ToolkitProblem extends Meaning {
  readonly status?: never
}

/** Problem that a server may respond with. */
export interface WireProblem extends Meaning {
  /** HTTP status of the response. */
  readonly status: number
  /** Name of the original API's exception, for clients that match on it. */
  readonly exception: string
  /** Whether a response with this status, without a known code or exception, maps to this code. */
  readonly meansStatus?: true
  /** Whether the server refuses a request because it has others: expected under load, and no fault of the server. */
  readonly isOverload?: true
  /** Whether this exception of another server maps to this code, where several codes share it. */
  readonly meansException?: true
}

/** Entry of the problem table. */
export type ProblemKind = ToolkitProblem | WireProblem

/** Module of the original API's general exceptions. */
export const core = 'nextgisweb.core.exception'

/** Module of the original API's resource exceptions. */
export const resource = 'nextgisweb.resource.exception'

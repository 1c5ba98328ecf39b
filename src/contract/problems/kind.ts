/** What a code means: to people, and to the shell that ran the command. */
interface Meaning {
  /** Short title for people. */
  readonly title: string
  /** Exit code of the command line: 1 failed, 3 input invalid, 4 over the quarantine limit, 130 interrupted. */
  readonly exit: 1 | 3 | 4 | 130
  /** What to do about it. */
  readonly advice: string
}

/** What only the toolkit reports: no answer of a server carries it. */
export interface ToolkitProblem extends Meaning {
  readonly status?: never
}

/** What a server answers. */
export interface WireProblem extends Meaning {
  /** HTTP status of an answer that carries it. */
  readonly status: number
  /** Name of the original API's exception, for clients that match on it. */
  readonly exception: string
  /** Whether an answer with this status and without a known code or exception means this code. */
  readonly meansStatus?: true
  /** Whether this exception of another server means this code, where several codes have it. */
  readonly meansException?: true
}

/** What a code means, wherever it turns up. */
export type ProblemKind = ToolkitProblem | WireProblem

/** Where the original API keeps its general exceptions. */
export const core = 'nextgisweb.core.exception'

/** Where the original API keeps its exceptions about resources. */
export const resource = 'nextgisweb.resource.exception'
